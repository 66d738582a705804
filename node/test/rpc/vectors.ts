import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"

const root = process.env["LOCKSTEP_VECTORS"]

/** Whether the recordings of Bitcoin Core are at hand. */
export const hasVectors = root !== undefined && existsSync(join(root, "oracle/rpc/rpc.jsonl.gz"))

export const vectorBytes = (path: string): Buffer => {
  const bytes = readFileSync(join(root ?? "", path))
  return path.endsWith(".gz") ? gunzipSync(bytes) : bytes
}

/** The lines of a file, each one JSON text. */
export const vectorLines = (path: string): ReadonlyArray<string> =>
  hasVectors ? vectorBytes(path).toString().split("\n").filter((line) => line !== "") : []
