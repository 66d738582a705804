import * as Effect from "effect/Effect"
import { acquireUseRelease } from "../finalizers/finalizers.ts"
import type { FilePosition } from "../storage/block-files/block-files.ts"
import { detectKey } from "../storage/block-files/detect-key.ts"
import { blockLayout, type RecordLayout } from "../storage/block-files/read-block-records.ts"
import { applyXor, type XorKey } from "../storage/block-files/xor-key.ts"
import type { Disk, DiskFile } from "../storage/disk/disk.ts"
import type { StorageError } from "../storage/storage-error.ts"

/** A block file that is being read. */
export interface BlockSource {
  readonly path: string
  readonly layout: RecordLayout
  /** Number of a file whose blocks stay in it; `undefined` if its blocks are copied. */
  readonly number: number | undefined
}

/** Makes the source of any block file, with or without the key beside it. */
export const sourceAt = (disk: Disk, path: string, magic: Uint8Array): Effect.Effect<BlockSource, StorageError> =>
  acquireUseRelease(
    disk.open(path, "read"),
    (file) =>
      Effect.map(detectKey(disk, file, magic), (key) => ({ path, layout: blockLayout(magic, key), number: undefined })),
    (file) => file.close
  )

/** Makes the source of a file whose key is known and whose blocks are copied. */
export const sourceToCopy = (path: string, magic: Uint8Array, key: XorKey): BlockSource => ({
  path,
  layout: blockLayout(magic, key),
  number: undefined
})

/** Makes the source of a numbered file that is read in place from an offset on. */
export const sourceInPlace = (path: string, number: number, magic: Uint8Array, key: XorKey, from = 0): BlockSource => ({
  path,
  layout: { ...blockLayout(magic, key), from },
  number
})

/** Returns the position of a block of a source for later reads, or `undefined` if it has to be copied. */
export const placeIn = ({ number }: BlockSource, offset: number, size: number): FilePosition | undefined =>
  number === undefined ? undefined : { file: number, offset, size }

/** Reads a block of a source again. Returns `undefined` if the file has become shorter. */
export const readAgain = (
  file: DiskFile,
  { layout }: BlockSource,
  offset: number,
  size: number
): Effect.Effect<Uint8Array | undefined, StorageError> =>
  Effect.map(file.read(offset, size), (bytes) => {
    applyXor(layout.key, bytes, offset)
    return bytes.length === size ? bytes : undefined
  })
