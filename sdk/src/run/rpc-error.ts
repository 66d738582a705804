/** Error of an RPC method, with the code that callers receive. Other errors have the code -1. */
export class RpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    if (!Number.isInteger(code) || Math.abs(code) > 99_999) throw new Error(`${code} is no code of an error of RPC`)
    this.name = "RpcError"
    this.code = code
  }
}
