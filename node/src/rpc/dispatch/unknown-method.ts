import { type RpcError, rpcError, RpcErrorCode } from "../rpc-error.ts"

/** What Bitcoin Core says of methods that became commands of its client. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  ["generate", "generate\n\nhas been replaced by the -generate cli option. Refer to -help for more information.\n"]
])

/** The error of a call to a method that there is not. */
export const unknownMethod = (name: string): RpcError =>
  rpcError(RpcErrorCode.methodNotFound, REPLACED.get(name) ?? "Method not found")
