import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Sixteen digits that differ when one of `files` below `root` does. */
export const digestOf = (root: string, files: ReadonlyArray<string>): string => {
  const digest = createHash("sha256")
  for (const file of files) digest.update(`${file}\0`).update(readFileSync(join(root, file)))
  return digest.digest("hex").slice(0, 16)
}
