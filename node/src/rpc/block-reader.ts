import type { BlockUndo } from "@lockstep/kernel/utxo/undo.ts"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { type FilePosition, REFERENCE_FILES } from "../storage/block-files/block-files.ts"
import { fileFault } from "../storage/block-files/file-fault.ts"
import { type FileKind, fileName } from "../storage/block-files/file-names.ts"
import { RECORD_HEAD, recordHeadFault, UNDO_CHECKSUM, undoChecksum } from "../storage/block-files/record.ts"
import { decodeUndo } from "../storage/block-files/undo-codec.ts"
import { applyXor, NO_XOR, readXorKey, type XorKey } from "../storage/block-files/xor-key.ts"
import type { Disk } from "../storage/disk/disk.ts"
import type { StorageError } from "../storage/storage-error.ts"

/** Reads what the engine wrote, beside it: block files only ever grow or go. */
export interface BlockReader {
  readonly block: (position: FilePosition) => Effect.Effect<Uint8Array, StorageError>
  /** What a block spent; `previousHash` is that of its parent, in wire order. */
  readonly undo: (position: FilePosition, previousHash: Uint8Array) => Effect.Effect<BlockUndo, StorageError>
}

export interface BlockReaderOptions {
  readonly disk: Disk
  /** Where our own files are. */
  readonly directory: string
  /** The reference node's `blocks` directory, read in place. */
  readonly referenceBlocks: string | undefined
  readonly magic: Uint8Array
}

const keyOf = (disk: Disk, directory: string): Effect.Effect<XorKey, StorageError> =>
  Effect.flatMap(disk.list(directory), (names) => Effect.map(readXorKey(disk, directory, names), (key) => key ?? NO_XOR))

/**
 * A reader that opens a file each time something in it is wanted, and keeps none: the space of a file that pruning removes
 * comes back only when nobody has it open.
 */
export const blockReader = Effect.fnUntraced(function*(options: BlockReaderOptions): Effect.fn.Return<BlockReader> {
  const { directory, disk, magic, referenceBlocks } = options
  // The engine makes the key of a new directory, so it is not read before the first block is.
  const ownKey = yield* Effect.cached(keyOf(disk, directory))
  const referenceKey = yield* Effect.cached(keyOf(disk, referenceBlocks ?? directory))

  const recordAt = Effect.fnUntraced(function*(
    kind: FileKind,
    position: FilePosition,
    behind: number,
    judge: (record: Uint8Array) => string | undefined
  ): Effect.fn.Return<Uint8Array, StorageError> {
    const isReference = position.file >= REFERENCE_FILES
    const name = fileName(kind, isReference ? position.file - REFERENCE_FILES : position.file)
    const path = join(isReference ? referenceBlocks ?? directory : directory, name)
    const key = yield* isReference ? referenceKey : ownKey
    const offset = position.offset - RECORD_HEAD
    const size = RECORD_HEAD + position.size + behind
    const opened = disk.open(path, "read")
    const record = yield* Effect.acquireUseRelease(opened, (file) => file.read(offset, size), (file) => file.close)
    applyXor(key, record, offset)
    const problem = record.length < size ? "ends too early" : recordHeadFault(record, magic, position.size) ?? judge(record)
    if (problem === undefined) return record.subarray(RECORD_HEAD, RECORD_HEAD + position.size)
    return yield* fileFault(kind, path, "read", `is damaged at ${position.offset}: ${problem}`, isReference)
  })

  const undo: BlockReader["undo"] = Effect.fnUntraced(function*(position, previousHash) {
    const isIntact = (record: Uint8Array): string | undefined => {
      const end = RECORD_HEAD + position.size
      const checksum = undoChecksum(previousHash, record.subarray(RECORD_HEAD, end))
      return checksum.compare(record, end) === 0 ? undefined : "the checksum does not fit"
    }
    const decoded = decodeUndo(yield* recordAt("rev", position, UNDO_CHECKSUM, isIntact))
    const isReference = position.file >= REFERENCE_FILES
    return decoded ?? (yield* fileFault("rev", directory, "read", "holds undo data that cannot be decoded", isReference))
  })

  return { block: (position) => recordAt("blk", position, 0, () => undefined), undo }
})
