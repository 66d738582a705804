import { JsonMembers, type JsonRead } from "../json/json-value.ts"
import { readJson } from "../json/read-json.ts"
import { typedParameters } from "../methods/definition/typed-parameters.ts"
import { failClient } from "./client-failure.ts"
import { WALLET_CONVERSIONS } from "./wallet-conversions.ts"

/** Rules that turn the words of a command line into parameters of a method. */
interface Conversion {
  /** Reports whether a parameter, given by position or name, is JSON. */
  readonly isJson: (parameter: number | string) => boolean
  /** Reports whether a word that is invalid JSON is passed as a string. */
  readonly mayBeText: (parameter: number | string) => boolean
  /** Reports whether the method has a parameter of this name. */
  readonly isName: (name: string) => boolean
  /** Reports whether the parameter at this position is a string. */
  readonly isText: (position: number) => boolean
}

const NOTHING: Conversion = {
  isJson: () => false,
  mayBeText: () => false,
  isName: () => false,
  isText: () => false
}

/** Methods whose parameters are always strings. */
const ONLY_TEXTS = new Set(["echo", "echoipc"])

/** Parameters that are a hash or JSON. */
const HASH_OR_JSON = new Set(["hash_or_height", "rollback"])

const ofWallet = (facts: string): Conversion => {
  const parts = facts.split(" ").map((part) => part.split(":"))
  const positions = new Set(parts.flatMap(([position, name]) => name === undefined ? [] : [Number(position)]))
  const names = new Set(parts.map(([position, name]) => name ?? position!))
  return {
    ...NOTHING,
    isJson: (parameter) => typeof parameter === "number" ? positions.has(parameter) : names.has(parameter),
    isName: (name) => names.has(name)
  }
}

const conversionOf = (method: string): Conversion => {
  const own = typedParameters(method)
  if (own === undefined) {
    return Object.hasOwn(WALLET_CONVERSIONS, method) ? ofWallet(WALLET_CONVERSIONS[method]!) : NOTHING
  }
  const parameters = Object.entries(own)
  const entry = (parameter: number | string) =>
    typeof parameter === "number"
      ? parameters[parameter]
      : parameters.find(([name, { aliases }]) => name === parameter || aliases.includes(parameter))
  const isMember = (name: number | string): boolean =>
    typeof name === "string" && parameters.some(([, { members = [] }]) => members.includes(name))
  const isJson = (parameter: number | string): boolean => {
    if (ONLY_TEXTS.has(method)) return false
    const found = entry(parameter)
    return found === undefined ? isMember(parameter) : found[1].kind !== "string"
  }
  return {
    isJson,
    mayBeText: (parameter) => HASH_OR_JSON.has(String(entry(parameter)?.[0] ?? parameter)),
    isName: (name) => entry(name) !== undefined || isMember(name),
    isText: (position) => entry(position)?.[1].kind === "string"
  }
}

const valueOf = (text: string, { isJson, mayBeText }: Conversion, parameter: number | string): JsonRead => {
  if (!isJson(parameter)) return text
  const read = readJson(text)
  if (read !== undefined) return read
  return mayBeText(parameter) ? text : failClient(`Error parsing JSON: ${text}`)
}

/** Converts parameters given by position. */
export const positionalParameters = (method: string, words: ReadonlyArray<string>): JsonRead => {
  const conversion = conversionOf(method)
  return words.map((word, at) => valueOf(word, conversion, at))
}

/**
 * Reports whether a word with an equals sign that names no parameter fits the next position, as a string or as JSON.
 */
const fitsPosition = (word: string, { isJson, isText }: Conversion, position: number): boolean =>
  isText(position) || (isJson(position) && readJson(word) !== undefined)

/**
 * Converts parameters given as `name=value`; a later one replaces an earlier one. Words without a name are collected in
 * `args`. So is a string, or JSON, with an equals sign after a text that names no parameter.
 */
export const namedParameters = (method: string, words: ReadonlyArray<string>): JsonRead => {
  const conversion = conversionOf(method)
  const named = new Map<string, JsonRead>()
  const positional: Array<JsonRead> = []
  for (const word of words) {
    const equals = word.indexOf("=")
    const name = word.slice(0, Math.max(equals, 0))
    if (equals < 0 || (!conversion.isName(name) && fitsPosition(word, conversion, positional.length))) {
      positional.push(valueOf(word, conversion, positional.length))
    } else named.set(name, valueOf(word.slice(equals + 1), conversion, name))
  }
  const keys = [...named.keys()]
  const values = [...named.values()]
  return positional.length === 0
    ? new JsonMembers(keys, values)
    : new JsonMembers([...keys, "args"], [...values, positional])
}
