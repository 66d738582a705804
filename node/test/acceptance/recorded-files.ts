import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

/**
 * The recordings of a folder of the reference vectors whose names begin with `prefix`: a new file is played like the
 * others.
 */
export const recordedFiles = (
  folder: string,
  prefix = "",
  root: string | undefined = process.env["LOCKSTEP_VECTORS"]
): ReadonlyArray<string> => {
  const directory = join(root ?? "", folder)
  if (root === undefined || !existsSync(directory)) return []
  return readdirSync(directory).filter((name) => name.startsWith(prefix) && name.endsWith(".jsonl.gz")).toSorted()
}
