import { existsSync } from "node:fs"
import { join } from "node:path"
import type { NetworkRow } from "../network-table.ts"

/** Whether the reference node keeps this network in `directory`. Our own directories never have these names. */
export const isReferenceDirectory = (directory: string, network: NetworkRow): boolean => {
  const own = join(directory, network.referenceDirectory)
  return existsSync(join(own, "chainstate")) || existsSync(join(own, "blocks", "index"))
}
