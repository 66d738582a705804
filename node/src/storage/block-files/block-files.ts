import type { Height } from "@lockstep/kernel/quantities"
import type { BlockUndo } from "@lockstep/kernel/utxo"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../storage-error.ts"
import type { UncommittedBlocks } from "./uncommitted-blocks.ts"

/** Files from this number on are those of Bitcoin Core's directory: its file n is `CORE_FILES + n`. Only read. */
export const CORE_FILES = 1_000_000

/**
 * Where the bytes of a block or of its undo data start in a numbered file, behind magic and length, and how many they
 * are.
 */
export interface FilePosition {
  readonly file: number
  readonly offset: number
  readonly size: number
}

/** What one pair of `blkNNNNN.dat` and `revNNNNN.dat` holds: kept in the key-value store and committed with the tip. */
export interface BlockFileInfo {
  readonly file: number
  /** Bytes in use, the end of the last record. */
  readonly blockBytes: number
  readonly undoBytes: number
  readonly blocks: number
  readonly lowestHeight: Height
  readonly highestHeight: Height
}

/**
 * Blocks and undo data in flat files of at most 128 MiB, in Bitcoin Core's format: network magic, length (4,
 * little-endian), bytes. Behind undo data follows the double SHA-256 of the previous block's hash and the data. All
 * bytes are XORed with the key in `xor.dat`, where there is one.
 */
export interface BlockFiles {
  /**
   * Blocks that were found behind what was committed, and count to it from the next commit on. The engine has to accept
   * them.
   */
  readonly uncommitted: UncommittedBlocks
  /** Where a file that was found begins with this block. */
  readonly findFirst: (bytes: Uint8Array) => Effect.Effect<FilePosition | undefined, StorageError>
  /** Appends; the operating system has the bytes, and they are on disk after `sync`. */
  readonly appendBlock: (bytes: Uint8Array, height: Height) => Effect.Effect<FilePosition, StorageError>
  /**
   * Into the undo file beside the block's `file`; for a block in a file of Bitcoin Core's, into the newest file of our
   * own.
   */
  readonly appendUndo: (
    file: number,
    previousHash: Uint8Array,
    undo: Uint8Array,
    height: Height
  ) => Effect.Effect<FilePosition, StorageError>
  /** Counts a block that is in a file already: Bitcoin Core's files in place, or our own in a rebuild. */
  readonly adoptBlock: (position: FilePosition, height: Height) => void
  /** The very bytes that were appended, the caller's own. */
  readonly readBlock: (position: FilePosition) => Effect.Effect<Uint8Array, StorageError>
  /** Fails as `corrupt` when the checksum does not fit. */
  readonly readUndo: (position: FilePosition, previousHash: Uint8Array) => Effect.Effect<Uint8Array, StorageError>
  /** Everything appended is on disk, and so are the directory entries. */
  readonly sync: Effect.Effect<void, StorageError>
  /** Files that changed since the last call, to be committed with the tip. */
  readonly takeChangedInfo: () => ReadonlyArray<BlockFileInfo>
  readonly info: () => ReadonlyArray<BlockFileInfo>
  /**
   * Blocks from this height on are appended to files of their own from now on; none: all go to the same. A chain on top
   * of a snapshot and the one behind it are pruned apart.
   */
  readonly divideAt: (height: Height | undefined) => void
  /** The files that the next blocks are appended to. */
  readonly written: () => ReadonlyArray<number>
  /** Removes whole files: after the commit that no longer names them. */
  readonly removeFiles: (files: ReadonlyArray<number>) => Effect.Effect<void, StorageError>
  readonly sizeOnDisk: () => number
  readonly close: Effect.Effect<void, StorageError>
}

/** Undo data to bytes and back, in Bitcoin Core's `rev*.dat` encoding; see `undo-codec.ts`. */
export interface UndoCodec {
  readonly encode: (undo: BlockUndo) => Uint8Array
  readonly decode: (bytes: Uint8Array) => BlockUndo | undefined
}
