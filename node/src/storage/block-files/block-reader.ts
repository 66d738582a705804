import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { Block } from "@lockstep/kernel/model"
import type { BlockUndo } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { acquireUseRelease } from "../../finalizers/finalizers.ts"
import { type FilePosition, CORE_FILES } from "./block-files.ts"
import { fileFault } from "./file-fault.ts"
import { type FileKind, fileName } from "./file-names.ts"
import { RECORD_HEAD, recordHeadFault, UNDO_CHECKSUM, undoChecksum } from "./record.ts"
import { decodeUndo } from "./undo-codec.ts"
import { applyXor, NO_XOR, readXorKey, type XorKey } from "./xor-key.ts"
import type { Disk } from "../disk/disk.ts"
import type { StorageError } from "../storage-error.ts"
import { wholeBlocks } from "./whole-block.ts"

/** Reads the files that the engine writes, from another thread or process: block files are only appended to or removed. */
export interface BlockReader {
  /** Returns the block with this hash. Any other bytes are reported as damage. */
  readonly block: (position: FilePosition, hash: Uint8Array) => Effect.Effect<Block, StorageError>
  /** Returns the serialization of the same block. */
  readonly bytes: (position: FilePosition, hash: Uint8Array) => Effect.Effect<Uint8Array, StorageError>
  /** Returns the bytes for callers that check the block anyway: only the header is checked. */
  readonly unjudgedBytes: (position: FilePosition, hash: Uint8Array) => Effect.Effect<Uint8Array, StorageError>
  /** Returns the coins that a block spent. `previousHash` is that of its parent, in wire order. */
  readonly undo: (position: FilePosition, previousHash: Uint8Array) => Effect.Effect<BlockUndo, StorageError>
}

export interface BlockReaderOptions {
  readonly disk: Disk
  /** Directory of the node's own files. */
  readonly directory: string
  /** Bitcoin Core's `blocks` directory, which is read in place. */
  readonly coreBlocks: string | undefined
  readonly magic: Uint8Array
  readonly crypto: Crypto
}

/** A file, and the parameters of every read in it. */
interface Place {
  readonly kind: FileKind
  readonly path: string
  readonly isCore: boolean
}

const fault = ({ isCore, kind, path }: Place, { offset }: FilePosition, problem: string): StorageError =>
  fileFault(kind, path, "read", `is damaged at ${offset}: ${problem}`, isCore)

const keyOf = (disk: Disk, directory: string): Effect.Effect<XorKey, StorageError> =>
  Effect.flatMap(
    disk.list(directory),
    (names) => Effect.map(readXorKey(disk, directory, names), (key) => key ?? NO_XOR)
  )

/**
 * Makes a reader that opens a file for each read and keeps none open. The space of a pruned file is freed only when no
 * process has it open.
 */
export const blockReader = Effect.fnUntraced(function*(options: BlockReaderOptions): Effect.fn.Return<BlockReader> {
  const { crypto, directory, disk, magic, coreBlocks } = options
  // The engine creates the key of a new directory, so the key is read only with the first block.
  const ownKey = yield* Effect.cached(keyOf(disk, directory))
  const coreKey = yield* Effect.cached(keyOf(disk, coreBlocks ?? directory))

  const placeOf = (kind: FileKind, { file }: FilePosition): Place => {
    const isCore = file >= CORE_FILES
    const name = fileName(kind, isCore ? file - CORE_FILES : file)
    return { kind, path: join(isCore ? coreBlocks ?? directory : directory, name), isCore }
  }

  /** Reads the record at a position: without its head, with the bytes after it. */
  const recordAt = Effect.fnUntraced(function*(
    place: Place,
    position: FilePosition,
    behind: number
  ): Effect.fn.Return<Uint8Array, StorageError> {
    const key = yield* place.isCore ? coreKey : ownKey
    const offset = position.offset - RECORD_HEAD
    const size = RECORD_HEAD + position.size + behind
    const opened = disk.open(place.path, "read")
    const record = yield* acquireUseRelease(opened, (file) => file.read(offset, size), (file) => file.close)
    applyXor(key, record, offset)
    const problem = record.length < size ? "it ends too early" : recordHeadFault(record, magic, position.size)
    return problem === undefined ? record.subarray(RECORD_HEAD) : yield* fault(place, position, problem)
  })

  const whole = wholeBlocks(crypto)
  const damaged = (position: FilePosition): StorageError =>
    fault(placeOf("blk", position), position, "the block there is not what its header commits to")

  const block: BlockReader["block"] = Effect.fnUntraced(function*(position, hash) {
    const record = yield* recordAt(placeOf("blk", position), position, 0)
    return whole.block(record, hash) ?? (yield* damaged(position))
  })

  const bytes: BlockReader["bytes"] = Effect.fnUntraced(function*(position, hash) {
    const record = yield* recordAt(placeOf("blk", position), position, 0)
    return whole.isWhole(record, hash) ? record : yield* damaged(position)
  })

  const unjudgedBytes: BlockReader["unjudgedBytes"] = Effect.fnUntraced(function*(position, hash) {
    const place = placeOf("blk", position)
    const record = yield* recordAt(place, position, 0)
    if (bytesEqual(crypto.sha256d(record.subarray(0, 80)), hash)) return record
    return yield* fault(place, position, "the block there is not the one that is looked for")
  })

  const undo: BlockReader["undo"] = Effect.fnUntraced(function*(position, previousHash) {
    const place = placeOf("rev", position)
    const record = yield* recordAt(place, position, UNDO_CHECKSUM)
    const data = record.subarray(0, position.size)
    if (undoChecksum(previousHash, data).compare(record, position.size) !== 0) {
      return yield* fault(place, position, "the checksum does not fit")
    }
    return decodeUndo(data) ?? (yield* fault(place, position, "the undo data cannot be decoded"))
  })

  return { block, bytes, unjudgedBytes, undo }
})
