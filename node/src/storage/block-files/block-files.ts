import type { Height } from "@lockstep/kernel/quantities"
import type { BlockUndo } from "@lockstep/kernel/utxo"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../storage-error.ts"
import type { UncommittedBlocks } from "./uncommitted-blocks.ts"

/** First number of the files in Bitcoin Core's directory: its file n is `CORE_FILES + n`. They are only read. */
export const CORE_FILES = 1_000_000

/** Position of a block or of its undo data: file number, offset after magic and length, and size. */
export interface FilePosition {
  readonly file: number
  readonly offset: number
  readonly size: number
}

/** Facts of one pair of `blkNNNNN.dat` and `revNNNNN.dat`, kept in the key-value store and committed with the tip. */
export interface BlockFileInfo {
  readonly file: number
  /** Bytes in use, up to the end of the last record. */
  readonly blockBytes: number
  readonly undoBytes: number
  readonly blocks: number
  readonly lowestHeight: Height
  readonly highestHeight: Height
}

/**
 * Blocks and undo data in flat files of at most 128 MiB, in Bitcoin Core's format: network magic, length (4,
 * little-endian), bytes. After undo data comes the double SHA-256 of the previous block's hash and the data. All bytes
 * are XORed with the key in `xor.dat`, if that file exists.
 */
export interface BlockFiles {
  /**
   * Blocks found after the committed ones, which count as committed from the next commit on. The engine has to accept
   * them.
   */
  readonly uncommitted: UncommittedBlocks
  /** Returns the position of this block if an existing file begins with it. */
  readonly findFirst: (bytes: Uint8Array) => Effect.Effect<FilePosition | undefined, StorageError>
  /** Appends a block. The operating system then has the bytes; they are on disk after `sync`. */
  readonly appendBlock: (bytes: Uint8Array, height: Height) => Effect.Effect<FilePosition, StorageError>
  /**
   * Appends to the undo file with the number of the block's `file`. For a block in one of Bitcoin Core's files, appends
   * to the node's newest file.
   */
  readonly appendUndo: (
    file: number,
    previousHash: Uint8Array,
    undo: Uint8Array,
    height: Height
  ) => Effect.Effect<FilePosition, StorageError>
  /** Counts a block that is already in a file: in Bitcoin Core's directory, or in the node's own files during a rebuild. */
  readonly adoptBlock: (position: FilePosition, height: Height) => void
  /** Returns exactly the appended bytes, in a buffer that the caller owns. */
  readonly readBlock: (position: FilePosition) => Effect.Effect<Uint8Array, StorageError>
  /** Fails with `corrupt` if the checksum does not match. */
  readonly readUndo: (position: FilePosition, previousHash: Uint8Array) => Effect.Effect<Uint8Array, StorageError>
  /** Syncs all appended data and the directory entries to disk. */
  readonly sync: Effect.Effect<void, StorageError>
  /** Returns the files changed since the last call, to be committed with the tip. */
  readonly takeChangedInfo: () => ReadonlyArray<BlockFileInfo>
  readonly info: () => ReadonlyArray<BlockFileInfo>
  /**
   * Appends blocks from this height on to separate files; `undefined` ends the division. A chain on top of a snapshot
   * and its background chain are pruned separately.
   */
  readonly divideAt: (height: Height | undefined) => void
  /** Returns the files that the next blocks are appended to. */
  readonly written: () => ReadonlyArray<number>
  /** Removes whole files. Called after the commit that no longer refers to them. */
  readonly removeFiles: (files: ReadonlyArray<number>) => Effect.Effect<void, StorageError>
  readonly sizeOnDisk: () => number
  readonly close: Effect.Effect<void, StorageError>
}

/** Encodes and decodes undo data in Bitcoin Core's `rev*.dat` encoding; see `undo-codec.ts`. */
export interface UndoCodec {
  readonly encode: (undo: BlockUndo) => Uint8Array
  readonly decode: (bytes: Uint8Array) => BlockUndo | undefined
}
