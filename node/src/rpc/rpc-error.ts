import { RPC_CODES } from "../methods/definition/rpc-codes.ts"
import type { CallError } from "../queries/call-error.ts"

/** An error of a call, as the client sees it. */
export interface RpcError {
  readonly code: number
  readonly message: string
}

/** Codes of errors in requests that reach no method. */
export const JsonRpcCode = { parse: -32_700, invalidRequest: -32_600, outOfMemory: -7 } as const

/** Returns an error as the client sees it. An error of a module carries its own code. */
export const rpcErrorOf = (error: CallError | RpcError): RpcError =>
  "code" in error ? error : { code: RPC_CODES[error._tag], message: error.message }
