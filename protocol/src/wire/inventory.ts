import { readUint32, writeBytes, type Writer, writeUint32 } from "@lockstep/kernel/bytes"
import { type PayloadCursor, readHash } from "./payload-cursor.ts"

/** Flag that requests the form with witnesses. */
const WITNESS = 0x40000000

/** Types of inventory entries. Any other number is tolerated and has no meaning. */
export const InventoryType = {
  TX: 1,
  BLOCK: 2,
  /** A block as a merkle tree with the transactions that match a filter. */
  FILTERED_BLOCK: 3,
  COMPACT_BLOCK: 4,
  /** A transaction by its witness id. */
  WTX: 5,
  /** Transactions that were requested together, by their combined hash (BIP331). */
  PACKAGE_TRANSACTIONS: 6,
  /** The unconfirmed ancestors of a transaction, by its witness id (BIP331). */
  ANCESTOR_PACKAGE: 7,
  WITNESS_TX: WITNESS + 1,
  WITNESS_BLOCK: WITNESS + 2
} as const

/** An object by its hash in wire order. `type` is any uint32. */
export interface InventoryEntry {
  readonly type: number
  readonly hash: Uint8Array
}

/** Bytes of an entry. */
export const INVENTORY_ENTRY_SIZE = 36

/** Reads an entry; meaningless if the cursor is broken. */
export const readInventoryEntry = (cursor: PayloadCursor): InventoryEntry => ({
  type: readUint32(cursor),
  hash: readHash(cursor)
})

/** Writes an entry. */
export const writeInventoryEntry = (writer: Writer, { hash, type }: InventoryEntry): void => {
  writeUint32(writer, type)
  writeBytes(writer, hash)
}

/** Reports whether an entry names a transaction. */
export const isTransactionType = (type: number): boolean =>
  type === InventoryType.TX || type === InventoryType.WTX || type === InventoryType.WITNESS_TX

/** Reports whether an entry names a package of dependent transactions. */
export const isPackageType = (type: number): boolean =>
  type === InventoryType.PACKAGE_TRANSACTIONS || type === InventoryType.ANCESTOR_PACKAGE

/** Reports whether an entry names a block, in any form. */
export const isBlockType = (type: number): boolean =>
  type === InventoryType.BLOCK ||
  type === InventoryType.WITNESS_BLOCK ||
  type === InventoryType.COMPACT_BLOCK ||
  type === InventoryType.FILTERED_BLOCK
