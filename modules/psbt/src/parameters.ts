import { type JsonValue, RpcError } from "@lockstep/sdk"

/** Error codes of Bitcoin Core. */
export const RpcErrorCode = {
  misc: -1,
  type: -3,
  invalidAddressOrKey: -5,
  invalidParameter: -8,
  deserialization: -22
} as const

/** Returns the parameters in order of position, whether given by position or by name. */
export const positional = (params: JsonValue, names: ReadonlyArray<string>): ReadonlyArray<JsonValue> => {
  if (Array.isArray(params)) {
    if (params.length <= names.length) return params
    throw new RpcError(RpcErrorCode.misc, `the parameters are ${names.join(", ")}`)
  }
  if (typeof params !== "object" || params === null) return []
  const given = params as Readonly<Record<string, JsonValue>>
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new RpcError(RpcErrorCode.invalidParameter, `Unknown named parameter ${unknown}`)
  return names.map((name) => given[name] ?? null)
}

/** Returns the text at a position. Fails if the value is no text, or is missing and has no default. */
export const textAt = (params: JsonValue, position: number, name: string, standard?: string): string => {
  const value = Array.isArray(params) ? params[position] as JsonValue | undefined : undefined
  if (typeof value === "string") return value
  if (value !== undefined && value !== null) throw new RpcError(RpcErrorCode.type, `${name} must be a text`)
  if (standard === undefined) throw new RpcError(RpcErrorCode.misc, `${name} is missing`)
  return standard
}
