import * as Effect from "effect/Effect"
import { statfsSync } from "node:fs"
import type { NodeConfig } from "../config/config.ts"
import { CHAIN_GIBIBYTES, STATE_GIBIBYTES } from "../storage/disk/chain-size.ts"
import { settingName } from "../front/setting-name.ts"
import { GIBIBYTE } from "../units.ts"

/** Share of the chain from which it counts as complete, whatever the estimate says. */
const DONE = 0.995

/** Size of a large block with its undo data. */
const BLOCK_BYTES = 4_000_000

/** Maximum number of bytes that block files will still take. */
const blockBytes = ({ network, storage: { pruning } }: NodeConfig, progress: number): number => {
  const whole = CHAIN_GIBIBYTES[network] * GIBIBYTE
  switch (pruning._tag) {
    case "TargetSize":
      return Math.min(whole, pruning.bytes)
    case "KeepBlocks":
      return pruning.fromHeight === undefined ? Math.min(whole, pruning.blocks * BLOCK_BYTES) : whole * (1 - progress)
    default:
      return whole * (1 - progress)
  }
}

const freeBytes = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

const shown = (bytes: number): string => `${Math.round(bytes / GIBIBYTE)} GiB`

/**
 * Returns a warning if the disk is too small for the rest of the chain, else `undefined`. `progress` is the share of
 * the chain that is on disk.
 */
export const littleRoom = (
  config: NodeConfig,
  progress: number,
  free: (directory: string) => number = freeBytes
): string | undefined => {
  if (progress >= DONE) return undefined
  const { dataDirectory, network, storage: { coreBlocks, copyCoreBlocks, pruning } } = config
  const isInPlace = coreBlocks !== undefined && !copyCoreBlocks
  const needed = (isInPlace ? 0 : blockBytes(config, progress)) + STATE_GIBIBYTES[network] * GIBIBYTE * (1 - progress)
  const room = free(dataDirectory)
  if (needed === 0 || room >= needed) return undefined
  const advice = pruning._tag === "Disabled"
    ? `; choose a larger disk with ${settingName("--data-dir")}, or keep recent blocks only with ${
      settingName("[storage.pruning].target_mb")
    }`
    : `; choose a larger disk with ${settingName("--data-dir")}`
  return `the disk of ${dataDirectory} has ${shown(room)} free, and the rest of the chain takes about ${
    shown(needed)
  }${advice}`
}

/** Logs a warning if the disk is too small for the chain. */
export const warnOfLittleRoom = (config: NodeConfig, progress: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const warning = littleRoom(config, progress)
    return warning === undefined
      ? Effect.void
      : Effect.logWarning(warning).pipe(Effect.annotateLogs({ category: "storage" }))
  })
