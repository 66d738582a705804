import { settingName } from "../front/setting-name.ts"
import { MEBIBYTE } from "../units.ts"

/** An allowance for the node beside the coins cache and the mempool. Full blocks and many peers take more. */
const OWN_BYTES = 250 * MEBIBYTE

/** The parts whose size the operator sets. */
interface MemoryNeeds {
  readonly dbcacheBytes: number
  readonly mempoolBytes: number
}

const mebibytes = (bytes: number): number => Math.ceil(bytes / MEBIBYTE)

/**
 * Warns if the memory limit of this process is below its possible need: the system then kills it suddenly, perhaps days
 * later. `limit` is in bytes; `undefined` without a limit.
 */
export const memoryRoomWarning = (
  { dbcacheBytes, mempoolBytes }: MemoryNeeds,
  limit: number | undefined
): ReadonlyArray<string> => {
  const needed = dbcacheBytes + mempoolBytes + OWN_BYTES
  if (limit === undefined || limit >= needed) return []
  return [
    `This process may take ${
      Math.floor(limit / MEBIBYTE)
    } MiB of memory (a control group limits it) and may come to need ` +
    `${mebibytes(needed)} MiB: ${mebibytes(dbcacheBytes)} for the coin cache, ${
      mebibytes(mempoolBytes)
    } for the mempool ` +
    `and ${
      mebibytes(OWN_BYTES)
    } for the node itself. The system kills a process that takes more. Raise the limit, or lower ` +
    `${settingName("[storage].dbcache_mb")} and ${settingName("[mempool].max_mempool_mb")}.`
  ]
}
