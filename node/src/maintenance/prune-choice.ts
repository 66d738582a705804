import type { Height } from "@lockstep/kernel/quantities"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import type { Pruning } from "../engine/options/engine-options.ts"
import type { BlockFileInfo } from "../storage/block-files/block-files.ts"

/** Number of blocks below the tip that are never removed: a reorganization may need them, and peers rely on them. */
export const MIN_BLOCKS_TO_KEEP = 288

/** Space that the next blocks take until the next check. */
const BUFFER_BYTES = 17 * 1024 * 1024
/** Assumed size of a block in the initial block download, to free space for the whole of it at once. */
const BLOCK_BYTES = 1_000_000

/** The facts of a network that pruning depends on. */
type PrunedNetwork = Pick<Network, "name" | "pruneAfterHeight">

/** Returns the height that the chain has to exceed before anything is pruned, automatically or by request. */
export const pruneAfterHeight = ({ name, pruneAfterHeight: height }: PrunedNetwork): number =>
  height ?? (name === "mainnet" ? 100_000 : 1000)

/** Heights from `from` to `to`, both included. */
export interface HeightRange {
  readonly from: number
  readonly to: Height
}

/** The facts that the choice depends on. */
export interface PruneSituation {
  readonly tipHeight: Height
  readonly headersHeight: Height
  readonly initialBlockDownload: boolean
  /** The highest block that is no longer needed; indexes that are behind may lower it. */
  readonly highestUnneeded: number
  /** Files that must stay whatever they contain. */
  readonly held: ReadonlySet<number>
  /**
   * The heights that the background chain of a snapshot still needs, including the last ones it has connected.
   * `undefined` without such a chain.
   */
  readonly background: HeightRange | undefined
}

const isWithin = ({ highestHeight, lowestHeight }: BlockFileInfo, range: HeightRange | undefined): boolean =>
  range !== undefined && highestHeight >= range.from && lowestHeight <= range.to

/** Returns the highest block that may be removed, if all up to `height` are to go. */
export const highestToPrune = (height: number, { highestUnneeded, tipHeight }: PruneSituation): number =>
  Math.min(height, tipHeight - MIN_BLOCKS_TO_KEEP, highestUnneeded)

/** Returns the files whose blocks are all at or below `height`, oldest first. Never the one that is written to. */
export const filesUpTo = (
  files: ReadonlyArray<BlockFileInfo>,
  height: Height,
  situation: PruneSituation
): ReadonlyArray<BlockFileInfo> => {
  const { background, held } = situation
  const limit = highestToPrune(height, situation)
  const newest = Math.max(...files.map(({ file }) => file))
  return files.filter((info) => {
    const { blockBytes, file, highestHeight, undoBytes } = info
    return file !== newest && !held.has(file) && blockBytes + undoBytes > 0 && highestHeight <= limit &&
      !isWithin(info, background)
  })
}

const roomToLeave = ({ headersHeight, initialBlockDownload, tipHeight }: PruneSituation): number =>
  BUFFER_BYTES + (initialBlockDownload ? BLOCK_BYTES * Math.max(0, headersHeight - tipHeight) : 0)

/** The minimum share of both chains of a snapshot, unless the target is smaller (Core: the least `-prune`). */
const LEAST_SHARE = 550 * 1024 * 1024

/** Returns the space that block files may take now. The background chain gets half until the snapshot is confirmed. */
export const pruneTargetNow = (bytes: number, { background }: Pick<PruneSituation, "background">): number =>
  background === undefined ? bytes : Math.max(bytes / 2, Math.min(bytes, LEAST_SHARE))

const filesAbove = (
  files: ReadonlyArray<BlockFileInfo>,
  target: number,
  situation: PruneSituation
): ReadonlyArray<BlockFileInfo> => {
  let usage = files.reduce((sum, { blockBytes, undoBytes }) => sum + blockBytes + undoBytes, 0)
  // Nothing is pruned before it has to be. Then, while many blocks are to come, more than necessary is pruned.
  if (usage + BUFFER_BYTES < target) return []
  const room = roomToLeave(situation)
  const chosen: Array<BlockFileInfo> = []
  for (const info of filesUpTo(files, situation.tipHeight, situation)) {
    if (usage + room < target) break
    usage -= info.blockBytes + info.undoBytes
    chosen.push(info)
  }
  return chosen
}

/** Chooses the files to prune automatically, according to the configuration. */
export const filesToPruneNow = (
  files: ReadonlyArray<BlockFileInfo>,
  pruning: Pruning,
  network: PrunedNetwork,
  situation: PruneSituation
): ReadonlyArray<BlockFileInfo> => {
  if (situation.tipHeight <= pruneAfterHeight(network)) return []
  switch (pruning._tag) {
    case "Disabled":
    case "Manual":
      return []
    case "KeepBlocks":
      return filesUpTo(
        files,
        Math.min(situation.tipHeight - pruning.blocks, (pruning.fromHeight ?? Infinity) - 1),
        situation
      )
    case "TargetSize":
      return filesAbove(files, pruneTargetNow(pruning.bytes, situation), situation)
  }
}
