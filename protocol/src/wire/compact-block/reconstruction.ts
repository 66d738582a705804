import { bytesEqual, compactSizeLength, writeBytes, writeCompactSize, writerOf } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { Header } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import type { SipKey } from "../../siphash/sip-hash.ts"
import type { CmpctBlockMessage } from "../messages/compact-blocks.ts"
import { shortId, shortIdKey } from "./short-id.ts"

/** Why the reconstruction of a compact block fails. */
export type CompactBlockFault =
  /** What was sent cannot be a block; the sender is to blame. */
  | {
    readonly _tag: "Impossible"
    readonly why:
      | "no header"
      | "no transactions"
      | "an empty transaction"
      | "an index beyond the block"
      | "not as many transactions as missing"
  }
  /** Two transactions of the block have one short id: no peer is to blame, and the block has to be fetched in full. */
  | { readonly _tag: "ShortIdCollision" }

/**
 * A BIP152 reconstruction under way: a block of which some transactions are known (Core: `PartiallyDownloadedBlock`).
 */
export interface Reconstruction {
  readonly header: Header
  readonly key: SipKey
  /** The transactions in their places, as bytes with their witnesses; nothing where one is missing. */
  readonly slots: Array<Uint8Array | undefined>
  /** How many are missing. */
  missing: number
  /** Short ids in ascending order, and the place that each stands for. */
  readonly shortIds: Float64Array
  readonly places: Uint32Array
  /** By place: whether a transaction with its short id has been offered. */
  readonly offered: Uint8Array
  readonly known: KnownIds
}

/** Ids of the transactions of a block, one after another, as far as they were computed before. */
export interface KnownIds {
  readonly transactionIds: Uint8Array
  readonly witnessIds: Uint8Array
  /** By place: 1 where both ids are known. */
  readonly has: Uint8Array
}

/** The fault that the sender is to blame for. */
export type ImpossibleBlock = Extract<CompactBlockFault, { readonly _tag: "Impossible" }>

type Filled = Result.Result<Array<Uint8Array | undefined>, CompactBlockFault>

const impossible = (
  why: ImpossibleBlock["why"]
): Result.Result<never, ImpossibleBlock> => Result.fail({ _tag: "Impossible", why })

/** The prefilled transactions in their places, and gaps for all others. */
const slotsOf = ({ prefilled, shortIds }: CmpctBlockMessage): Filled => {
  const slots = Array.from<Uint8Array | undefined>({ length: shortIds.length + prefilled.length })
  for (const { index, transaction } of prefilled) {
    if (transaction.inputs.length === 0 && transaction.outputs.length === 0) return impossible("an empty transaction")
    if (index >= slots.length) return impossible("an index beyond the block")
    slots[index] = transaction.bytes
  }
  return Result.succeed(slots)
}

/** Where in ascending numbers one stands; -1 where it does not. */
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
 * The short ids in order with their places. Sorting rather than hashing: the sender chooses these numbers, and could
 * choose them so that a hash table becomes a list.
 */
const sortedIds = (
  { shortIds }: CmpctBlockMessage,
  slots: ReadonlyArray<Uint8Array | undefined>
): readonly [Float64Array, Uint32Array] => {
  const gaps: Array<number> = []
  for (let place = 0; place < slots.length; place++) if (slots[place] === undefined) gaps.push(place)
  // Without a comparison of ours they are sorted natively.
  const sorted = Float64Array.from(shortIds).sort()
  const places = new Uint32Array(sorted.length)
  for (let i = 0; i < shortIds.length; i++) places[positionOf(sorted, shortIds[i]!)] = gaps[i]!
  return [sorted, places]
}

/** Whether two neighbours are the same. */
const hasRepetition = (sorted: Float64Array): boolean => {
  for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) return true
  return false
}

/** Starts a reconstruction from what came with the compact block. */
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
 * Offers a transaction that may be in the block, by its witness id; `read` gives its bytes, which are kept, and is
 * called only where they are needed, as is `readId` (none: its id was not computed). Where two different ones fit a place it is left empty. To ask for one transaction
 * costs less than to find out at the end that the wrong one was taken. Answers whether it was put in.
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

/** The places of the transactions that are still missing, in ascending order: what `getblocktxn` asks for. */
export const missingIndexes = ({ slots }: Reconstruction): ReadonlyArray<number> =>
  slots.flatMap((transaction, index) => (transaction === undefined ? [index] : []))

/**
 * The bytes of the block, its gaps filled with the transactions `missing` in order. They may still be another block
 * than the header's, by an unlucky short id or by a lie. A block that is mutated (BLK-018) has to be fetched in full.
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
