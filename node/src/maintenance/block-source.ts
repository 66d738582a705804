import * as Effect from "effect/Effect"
import { acquireUseRelease } from "../finalizers/finalizers.ts"
import type { FilePosition } from "../storage/block-files/block-files.ts"
import { detectKey } from "../storage/block-files/detect-key.ts"
import { blockLayout, type RecordLayout } from "../storage/block-files/read-block-records.ts"
import { applyXor, type XorKey } from "../storage/block-files/xor-key.ts"
import type { Disk, DiskFile } from "../storage/disk/disk.ts"
import type { StorageError } from "../storage/storage-error.ts"

/** A file of blocks that is being read. */
export interface BlockSource {
  readonly path: string
  readonly layout: RecordLayout
  /** Of a file whose blocks stay where they are: its number. Of any other none: its blocks are copied. */
  readonly number: number | undefined
}

/** A file as it is found somewhere: with the key beside it or without. */
export const sourceAt = (disk: Disk, path: string, magic: Uint8Array): Effect.Effect<BlockSource, StorageError> =>
  acquireUseRelease(
    disk.open(path, "read"),
    (file) =>
      Effect.map(detectKey(disk, file, magic), (key) => ({ path, layout: blockLayout(magic, key), number: undefined })),
    (file) => file.close
  )

/** A file whose key is known and whose blocks are copied. */
export const sourceToCopy = (path: string, magic: Uint8Array, key: XorKey): BlockSource => ({
  path,
  layout: blockLayout(magic, key),
  number: undefined
})

/** A numbered file that is read in place, from an offset on. */
export const sourceInPlace = (path: string, number: number, magic: Uint8Array, key: XorKey, from = 0): BlockSource => ({
  path,
  layout: { ...blockLayout(magic, key), from },
  number
})

/** The place of a block of a source, to read it later; none: it has to be copied. */
export const placeIn = ({ number }: BlockSource, offset: number, size: number): FilePosition | undefined =>
  number === undefined ? undefined : { file: number, offset, size }

/** Reads a block of a source again; none: the file has become shorter. */
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
