import type { HostPort } from "../../src/config/config.ts"
import { bearer, exchange } from "./http-exchange.ts"

export interface RpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Calls a method as an administrator. */
export const ask = async (address: HostPort, method: string, params: unknown = []): Promise<RpcAnswer> => {
  const { body } = await exchange(address, {
    headers: { authorization: bearer("admin-token") },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })
  return JSON.parse(body) as RpcAnswer
}
