import { readUint32, writeBytes, type Writer, writeUint32 } from "@lockstep/kernel/bytes"
import { type PayloadCursor, readHash } from "./payload-cursor.ts"

/** Asks for the form with witnesses. */
const WITNESS = 0x40000000

/** What an entry of an inventory names. Any other number is tolerated and means nothing. */
export const InventoryType = {
  TX: 1,
  BLOCK: 2,
  /** A block as a merkle tree with the transactions that a filter lets through. */
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

/** Something by its hash in wire order. `type` is any uint32. */
export interface InventoryEntry {
  readonly type: number
  readonly hash: Uint8Array
}

/** Bytes of an entry. */
export const INVENTORY_ENTRY_SIZE = 36

/** An entry; meaningless when broken. */
export const readInventoryEntry = (cursor: PayloadCursor): InventoryEntry => ({
  type: readUint32(cursor),
  hash: readHash(cursor)
})

/** An entry. */
export const writeInventoryEntry = (writer: Writer, { hash, type }: InventoryEntry): void => {
  writeUint32(writer, type)
  writeBytes(writer, hash)
}

/** Whether an entry names a transaction. */
export const isTransactionType = (type: number): boolean =>
  type === InventoryType.TX || type === InventoryType.WTX || type === InventoryType.WITNESS_TX

/** Whether an entry names transactions that hang together. */
export const isPackageType = (type: number): boolean =>
  type === InventoryType.PACKAGE_TRANSACTIONS || type === InventoryType.ANCESTOR_PACKAGE

/** Whether an entry requests a block, in any form. */
export const isBlockType = (type: number): boolean =>
  type === InventoryType.BLOCK ||
  type === InventoryType.WITNESS_BLOCK ||
  type === InventoryType.COMPACT_BLOCK ||
  type === InventoryType.FILTERED_BLOCK
