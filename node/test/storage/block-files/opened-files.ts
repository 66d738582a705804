import * as Effect from "effect/Effect"
import type { BlockFiles } from "../../../src/storage/block-files/block-files.ts"
import { type BlockFilesOptions, openBlockFiles } from "../../../src/storage/block-files/open-block-files.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"

export const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda)
export const PREVIOUS = new Uint8Array(32).fill(7)
export const disk = nodeDisk("block-files")

export const block = (size: number, seed: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, i) => (i * 31 + seed * 17) & 0xff)

export const open = (
  directory: string,
  committed: BlockFilesOptions["committed"] = [],
  more: Partial<BlockFilesOptions> = {}
) => openBlockFiles({ disk, directory, magic: MAGIC, committed, coreBlocks: undefined, ...more })

/** Writes blocks and undo data, and answers what a commit would remember. */
export const fill = Effect.fnUntraced(function*(files: BlockFiles, sizes: ReadonlyArray<number>) {
  const places = []
  for (const [i, size] of sizes.entries()) {
    const blockPlace = yield* files.appendBlock(block(size, i), i)
    const undoPlace = yield* files.appendUndo(blockPlace.file, PREVIOUS, block(size >> 1, i + 100), i)
    places.push({ block: blockPlace, undo: undoPlace, size, i })
  }
  return places
})

export const failure = <A>(effect: Effect.Effect<A, StorageError>): Effect.Effect<StorageError, A> =>
  Effect.flip(effect)
