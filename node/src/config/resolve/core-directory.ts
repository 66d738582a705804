import { existsSync } from "node:fs"
import { join } from "node:path"
import type { NetworkRow } from "../network-table.ts"

/** Whether Bitcoin Core keeps this network in `directory`. Our own directories never have these names. */
export const isCoreDirectory = (directory: string, network: NetworkRow): boolean => {
  const own = join(directory, network.coreDirectory)
  return existsSync(join(own, "chainstate")) || existsSync(join(own, "blocks", "index"))
}
