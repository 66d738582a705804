import { bytesEqual, compactSizeLength, writeBytes, writeCompactSize, writerOf } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { Header } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import type { SipKey } from "../../siphash/sip-hash.ts"
import type { CmpctBlockMessage } from "../messages/compact-blocks.ts"
import { shortId, shortIdKey } from "./short-id.ts"

/** The reason why the reconstruction of a compact block fails. */
export type CompactBlockFault =
  /** The message cannot be a block; the sender is to blame. */
  | {
    readonly _tag: "Impossible"
    readonly why:
      | "no header"
      | "no transactions"
      | "an empty transaction"
      | "an index beyond the block"
      | "not as many transactions as missing"
  }
  /**
   * Two transactions of the block have the same short id. No peer is to blame, and the full block has to be fetched.
   */
  | { readonly _tag: "ShortIdCollision" }

/**
 * A BIP152 reconstruction under way: a block of which some transactions are known (Core: `PartiallyDownloadedBlock`).
 */
export interface Reconstruction {
  readonly header: Header
  readonly key: SipKey
  /** The transactions at their positions, as bytes with their witnesses; `undefined` if missing. */
  readonly slots: Array<Uint8Array | undefined>
  /** Number of missing transactions. */
  missing: number
  /** Short ids in ascending order, and the position in the block of each. */
  readonly shortIds: Float64Array
  readonly places: Uint32Array
  /** By position: 1 if a transaction with its short id has been offered. */
  readonly offered: Uint8Array
  readonly known: KnownIds
}

/** Ids of the transactions of a block, consecutive, as far as they are known. */
export interface KnownIds {
  readonly transactionIds: Uint8Array
  readonly witnessIds: Uint8Array
  /** By position: 1 if both ids are known. */
  readonly has: Uint8Array
}

/** A fault for which the sender is to blame. */
export type ImpossibleBlock = Extract<CompactBlockFault, { readonly _tag: "Impossible" }>

type Filled = Result.Result<Array<Uint8Array | undefined>, CompactBlockFault>

const impossible = (
  why: ImpossibleBlock["why"]
): Result.Result<never, ImpossibleBlock> => Result.fail({ _tag: "Impossible", why })

/** Returns the prefilled transactions at their positions, with gaps for all others. */
const slotsOf = ({ prefilled, shortIds }: CmpctBlockMessage): Filled => {
  const slots = Array.from<Uint8Array | undefined>({ length: shortIds.length + prefilled.length })
  for (const { index, transaction } of prefilled) {
    if (transaction.inputs.length === 0 && transaction.outputs.length === 0) return impossible("an empty transaction")
    if (index >= slots.length) return impossible("an index beyond the block")
    slots[index] = transaction.bytes
  }
  return Result.succeed(slots)
}

/** Returns the index of a number in an ascending list; -1 if it is missing. */
const positionOf = (sorted: Float64Array, wanted: number): number => {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = sorted[middle]!
    if (found === wanted) return middle
    if (found < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/**
 * Returns the sorted short ids with their positions. They are sorted instead of hashed, since the sender could choose
 * them so that a hash table degenerates to a list.
 */
const sortedIds = (
  { shortIds }: CmpctBlockMessage,
  slots: ReadonlyArray<Uint8Array | undefined>
): readonly [Float64Array, Uint32Array] => {
  const gaps: Array<number> = []
  for (let place = 0; place < slots.length; place++) if (slots[place] === undefined) gaps.push(place)
  // Without a comparison function, the sort is native.
  const sorted = Float64Array.from(shortIds).sort()
  const places = new Uint32Array(sorted.length)
  for (let i = 0; i < shortIds.length; i++) places[positionOf(sorted, shortIds[i]!)] = gaps[i]!
  return [sorted, places]
}

/** Reports whether two adjacent numbers are equal. */
const hasRepetition = (sorted: Float64Array): boolean => {
  for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) return true
  return false
}

/** Starts a reconstruction from the contents of the compact block. */
export const reconstruction = (
  message: CmpctBlockMessage,
  crypto: Crypto
): Result.Result<Reconstruction, CompactBlockFault> => {
  const { header, nonce, prefilled, shortIds } = message
  if (header.bits === 0) return impossible("no header")
  if (shortIds.length + prefilled.length === 0) return impossible("no transactions")
  const filled = slotsOf(message)
  if (Result.isFailure(filled)) return Result.fail(filled.failure)
  const slots = filled.success
  const [ids, places] = sortedIds(message, slots)
  if (hasRepetition(ids)) return Result.fail({ _tag: "ShortIdCollision" })
  return Result.succeed({
    header,
    key: shortIdKey(header, nonce, crypto),
    slots,
    missing: shortIds.length,
    shortIds: ids,
    places,
    offered: new Uint8Array(slots.length),
    known: {
      transactionIds: new Uint8Array(slots.length * 32),
      witnessIds: new Uint8Array(slots.length * 32),
      has: new Uint8Array(slots.length)
    }
  })
}

const noteIds = (
  { has, transactionIds, witnessIds }: KnownIds,
  place: number,
  id: Uint8Array,
  witnessId: Uint8Array
): void => {
  transactionIds.set(id, place * 32)
  witnessIds.set(witnessId, place * 32)
  has[place] = 1
}

/**
 * Offers a transaction that may be in the block, by its witness id. `read` returns its bytes, which are kept, and is
 * called only if they are needed, as is `readId` (absent if the id was not computed). If two different transactions
 * match a position, it is left empty. Requesting one transaction costs less than finding out at the end that the wrong
 * one was used. Returns whether it was used.
 */
export const offerTransaction = (
  block: Reconstruction,
  witnessId: Uint8Array,
  read: () => Uint8Array,
  readId?: () => Uint8Array
): boolean => {
  const position = positionOf(block.shortIds, shortId(block.key, witnessId))
  if (position < 0) return false
  const place = block.places[position]!
  const there = block.slots[place]
  if (block.offered[place] === 0) {
    block.offered[place] = 1
    block.slots[place] = read()
    block.missing--
    if (readId !== undefined) noteIds(block.known, place, readId(), witnessId)
    return true
  }
  if (there !== undefined && !bytesEqual(there, read())) {
    block.slots[place] = undefined
    block.known.has[place] = 0
    block.missing++
  }
  return false
}

/** Returns the positions of the missing transactions in ascending order, as `getblocktxn` requests them. */
export const missingIndexes = ({ slots }: Reconstruction): ReadonlyArray<number> =>
  slots.flatMap((transaction, index) => (transaction === undefined ? [index] : []))

/**
 * Returns the bytes of the block, with its gaps filled by the transactions `missing` in order. They may still be
 * another block than the header's, because of a short id collision or a lie. A block that is mutated (BLK-018) has to
 * be fetched in full.
 */
export const completed = (
  { header, slots }: Reconstruction,
  missing: ReadonlyArray<Uint8Array>
): Result.Result<Uint8Array, ImpossibleBlock> => {
  let used = 0
  const transactions: Array<Uint8Array> = []
  for (const slot of slots) {
    const transaction = slot ?? missing[used++]
    if (transaction === undefined) return impossible("not as many transactions as missing")
    transactions.push(transaction)
  }
  if (used !== missing.length) return impossible("not as many transactions as missing")
  const writer = writerOf(
    transactions.reduce((sum, { length }) => sum + length, 80 + compactSizeLength(transactions.length))
  )
  writeBytes(writer, header.bytes)
  writeCompactSize(writer, transactions.length)
  for (const bytes of transactions) writeBytes(writer, bytes)
  return Result.succeed(writer.bytes)
}
