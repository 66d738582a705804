import type { Height } from "@lockstep/kernel/quantities"
import type { BlockFileInfo } from "./block-files.ts"

/** A file of blocks is not made longer than this. */
export const MAX_FILE_BYTES = 128 * 1024 * 1024

/** Where the next record goes. */
interface Room {
  readonly file: number
  readonly offset: number
}

/** What every file of ours holds, and which one is written to. */
export interface FileTable {
  readonly roomForBlock: (size: number, height: Height) => Room
  /** Blocks from this height on go to files of their own from now on; none: all go to the newest one. */
  readonly divideAt: (height: Height | undefined) => void
  /** The files that the next blocks go to. */
  readonly written: () => ReadonlyArray<number>
  /** Beside the block, or in the newest file when the block is in a file that is not ours. */
  readonly roomForUndo: (blockFile: number) => Room
  readonly addBlock: (file: number, end: number, height: Height) => void
  readonly addUndo: (file: number, end: number, height: Height) => void
  readonly adoptBlock: (file: number, height: Height) => void
  /** Nothing more goes into the files there are. All count as changed. */
  readonly seal: () => void
  readonly remove: (file: number) => void
  readonly takeChanged: () => ReadonlyArray<BlockFileInfo>
  readonly all: () => ReadonlyArray<BlockFileInfo>
  readonly size: () => number
}

const emptyInfo = (file: number): BlockFileInfo => ({
  file,
  blockBytes: 0,
  undoBytes: 0,
  blocks: 0,
  lowestHeight: 0,
  highestHeight: 0
})

/** Widens the heights of a file; undo data of blocks elsewhere count as well, lest they are pruned too early. */
const withHeight = (info: BlockFileInfo, height: Height): BlockFileInfo => {
  const isFirst = info.blocks === 0 && info.undoBytes === 0
  return {
    ...info,
    lowestHeight: isFirst ? height : Math.min(info.lowestHeight, height),
    highestHeight: isFirst ? height : Math.max(info.highestHeight, height)
  }
}

export const fileTable = (known: ReadonlyArray<BlockFileInfo>, maxFileBytes: number): FileTable => {
  const infos = new Map(known.map((info) => [info.file, info]))
  const changed = new Set<number>()
  let newest = Math.max(0, ...infos.keys())
  let boundary: Height | undefined
  /** While files are divided: the one for blocks below the boundary, and the one for others, if it was begun. */
  let below = newest
  let above: number | undefined

  const isAbove = (height: Height): boolean => boundary !== undefined && height >= boundary

  /** The file that a block of this height goes to as long as it has room. */
  const fileFor = (height: Height): number => {
    if (boundary === undefined) return newest
    return isAbove(height) ? above ?? newest + 1 : below
  }

  const infoOf = (file: number): BlockFileInfo => infos.get(file) ?? emptyInfo(file)
  const put = (info: BlockFileInfo): void => {
    infos.set(info.file, info)
    changed.add(info.file)
    newest = Math.max(newest, info.file)
  }

  return {
    roomForBlock: (size, height) => {
      const current = fileFor(height)
      const { blockBytes } = infoOf(current)
      const file = blockBytes > 0 && blockBytes + size > maxFileBytes ? newest + 1 : current
      return { file, offset: infoOf(file).blockBytes }
    },
    divideAt: (height) => {
      boundary = height
      const all = [...infos.values()]
      const ofAbove = all.filter(({ blocks, lowestHeight }) => blocks > 0 && isAbove(lowestHeight))
      above = ofAbove.length === 0 ? undefined : Math.max(...ofAbove.map(({ file }) => file))
      const rest = all.filter((info) => !ofAbove.includes(info)).map(({ file }) => file)
      below = rest.length === 0 && ofAbove.length > 0 ? newest + 1 : Math.max(0, ...rest)
    },
    written: () => boundary === undefined ? [newest] : above === undefined ? [below] : [below, above],
    roomForUndo: (blockFile) => {
      if (infos.has(blockFile)) return { file: blockFile, offset: infoOf(blockFile).undoBytes }
      const file = infoOf(newest).undoBytes > maxFileBytes ? newest + 1 : newest
      return { file, offset: infoOf(file).undoBytes }
    },
    addBlock: (file, end, height) => {
      const info = withHeight(infoOf(file), height)
      put({ ...info, blockBytes: end, blocks: info.blocks + 1 })
      if (isAbove(height)) above = file
      else below = file
    },
    addUndo: (file, end, height) => put({ ...withHeight(infoOf(file), height), undoBytes: end }),
    adoptBlock: (file, height) => {
      const info = withHeight(infoOf(file), height)
      put({ ...info, blocks: info.blocks + 1 })
    },
    seal: () => {
      for (const file of infos.keys()) changed.add(file)
      if (infos.size > 0) newest += 1
    },
    remove: (file) => {
      infos.delete(file)
      changed.delete(file)
    },
    takeChanged: () => {
      const taken = [...changed].map(infoOf)
      changed.clear()
      return taken
    },
    all: () => [...infos.values()].sort((a, b) => a.file - b.file),
    size: () => {
      let total = 0
      for (const info of infos.values()) total += info.blockBytes + info.undoBytes
      return total
    }
  }
}
