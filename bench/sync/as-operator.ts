import { readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Calls a method that only the operator of a node may call, with the cookie that the node leaves in its data directory.
 */
export const asOperator = async (
  port: number,
  directory: string,
  method: string,
  params: ReadonlyArray<unknown>
): Promise<unknown> => {
  const cookie = readFileSync(join(directory, "regtest", ".cookie"), "utf8")
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(cookie).toString("base64")}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })
  const { error, result } = await response.json() as {
    readonly result?: unknown
    readonly error?: { readonly message: string }
  }
  if (error !== undefined && error !== null) throw new Error(`${method}: ${error.message}`)
  return result
}
