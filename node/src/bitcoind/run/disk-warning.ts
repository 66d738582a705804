import { statfsSync } from "node:fs"
import { CHAIN_GIBIBYTES } from "../../storage/disk/chain-size.ts"
import type { Plan } from "../plan/plan.ts"
import { GIBIBYTE } from "../../units.ts"

/** Free space in bytes that other data need. */
const LEAST_FREE = 50 * 2 ** 20

const freeBytes = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/** Returns the warning of a first start if the disk may be too small for the chain. `free` returns the free bytes. */
export const diskWarning = (
  { changes: { signet }, config: { network, storage: { pruning } }, storage }: Plan,
  height: number,
  free: (directory: string) => number = freeBytes
): string | undefined => {
  if (height > 1 || storage.rebuild || storage.rebuildsCoins || signet !== undefined) return undefined
  const size = CHAIN_GIBIBYTES[network]
  const needed = Math.min(size * GIBIBYTE, pruning._tag === "TargetSize" ? pruning.bytes : Infinity)
  return free(storage.blocks) >= needed + LEAST_FREE
    ? undefined
    : `Disk space for ${
      JSON.stringify(storage.blocks)
    } may not accommodate the block files. Approximately ${size} GB of data will be stored in this directory.`
}
