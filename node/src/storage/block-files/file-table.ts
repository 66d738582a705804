import type { Height } from "@lockstep/kernel/quantities"
import type { BlockFileInfo } from "./block-files.ts"

/** Maximum size of a block file. */
export const MAX_FILE_BYTES = 128 * 1024 * 1024

/** The position of the next record. */
interface Room {
  readonly file: number
  readonly offset: number
}

/** Facts of all of the node's own files, and the files that are written to. */
export interface FileTable {
  readonly roomForBlock: (size: number, height: Height) => Room
  /** Divides blocks from this height on into separate files; with `undefined` all go to the newest one. */
  readonly divideAt: (height: Height | undefined) => void
  /** Returns the files that the next blocks go to. */
  readonly written: () => ReadonlyArray<number>
  /**
   * Returns the position in the undo file of the block's file, or in the newest one if the block is in one of Bitcoin
   * Core's files.
   */
  readonly roomForUndo: (blockFile: number) => Room
  readonly addBlock: (file: number, end: number, height: Height) => void
  readonly addUndo: (file: number, end: number, height: Height) => void
  readonly adoptBlock: (file: number, height: Height) => void
  /** Closes the existing files to new records. All count as changed. */
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

/** Widens the heights of a file. Undo data of blocks in other files count as well, so that they are not pruned too early. */
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
  /** While files are divided: the file for blocks below the boundary, and the file for others once it exists. */
  let below = newest
  let above: number | undefined

  const isAbove = (height: Height): boolean => boundary !== undefined && height >= boundary

  /** Returns the file for a block of this height, as long as the file is not full. */
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
