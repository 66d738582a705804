import type { Height } from "@lockstep/kernel/quantities"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import type { Pruning } from "../engine/options/engine-options.ts"
import type { BlockFileInfo } from "../storage/block-files/block-files.ts"

/** Blocks below the tip that are never removed: a reorganization may need them, and peers count on them. */
export const MIN_BLOCKS_TO_KEEP = 288

/** Room that the next blocks take before the next look. */
const BUFFER_BYTES = 17 * 1024 * 1024
/** In the initial download a block counts as this large, to make room for the whole of it at once. */
const BLOCK_BYTES = 1_000_000

/** What pruning depends on of a network. */
type PrunedNetwork = Pick<Network, "name" | "pruneAfterHeight">

/** The chain has to be higher than this before anything is pruned, automatically or by request. */
export const pruneAfterHeight = ({ name, pruneAfterHeight: height }: PrunedNetwork): number =>
  height ?? (name === "mainnet" ? 100_000 : 1000)

/** Heights from `from` to `to`, both included. */
export interface HeightRange {
  readonly from: number
  readonly to: Height
}

/** What the choice depends on. */
export interface PruneSituation {
  readonly tipHeight: Height
  readonly headersHeight: Height
  readonly initialBlockDownload: boolean
  /** The highest block that is not needed any more; indexes that are behind may set it. */
  readonly highestUnneeded: number
  /** Files that must stay whatever they hold. */
  readonly held: ReadonlySet<number>
  /**
   * The heights that the chain behind a snapshot still needs, the last ones it has connected included; none: there is
   * no such chain.
   */
  readonly background: HeightRange | undefined
}

const isWithin = ({ highestHeight, lowestHeight }: BlockFileInfo, range: HeightRange | undefined): boolean =>
  range !== undefined && highestHeight >= range.from && lowestHeight <= range.to

/** The highest block that may be removed at all, where all up to `height` are to go. */
export const highestToPrune = (height: number, { highestUnneeded, tipHeight }: PruneSituation): number =>
  Math.min(height, tipHeight - MIN_BLOCKS_TO_KEEP, highestUnneeded)

/** Files whose blocks are all at or below `height`, oldest first. Never the one that is written to. */
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

/** What both chains of a snapshot get at least, as long as the target is not smaller (Core: the least `-prune`). */
const LEAST_SHARE = 550 * 1024 * 1024

/** What block files may take now: a chain behind a snapshot is to get half, until the snapshot is confirmed. */
export const pruneTargetNow = (bytes: number, { background }: Pick<PruneSituation, "background">): number =>
  background === undefined ? bytes : Math.max(bytes / 2, Math.min(bytes, LEAST_SHARE))

const filesAbove = (
  files: ReadonlyArray<BlockFileInfo>,
  target: number,
  situation: PruneSituation
): ReadonlyArray<BlockFileInfo> => {
  let usage = files.reduce((sum, { blockBytes, undoBytes }) => sum + blockBytes + undoBytes, 0)
  // Nothing is pruned before it has to be; then, while there is much to come, more than has to be.
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

/** The files that are pruned automatically, as the configuration says. */
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
