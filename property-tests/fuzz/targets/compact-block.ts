import { bytesEqual } from "@lockstep/kernel/bytes"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { type Block, decodeBlock, decodeTransaction, witnessTransactionId } from "@lockstep/kernel/model"
import { compactBlockOf } from "@lockstep/protocol/wire/compact-block/compact-block-of.ts"
import {
  completed,
  missingIndexes,
  offerTransaction,
  type Reconstruction,
  reconstruction
} from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import { decodeMessage, encodeMessage } from "@lockstep/protocol/wire/message.ts"
import type { CmpctBlockMessage } from "@lockstep/protocol/wire/messages/compact-blocks.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import type { Random } from "../random.ts"
import type { Seeds, Target } from "../target.ts"

/** A block, its compact form on the wire, and what the receiver has and is sent. */
interface Rebuilding {
  readonly block: Uint8Array
  /** Payload of `cmpctblock`. */
  readonly compact: Uint8Array
  /** Transactions of the receiver, in the order in which they are offered. */
  readonly pool: ReadonlyArray<Uint8Array>
  /** Added to the missing transactions, or taken from their end where it is negative. */
  readonly more: number
}

const LARGEST_BLOCK = 100_000

/** More of the transactions than the coinbase are in the message itself. */
const withPrefilled = (message: CmpctBlockMessage, block: Block, random: Random): CmpctBlockMessage => {
  const chosen = block.transactions.map((_, i) => i === 0 || random.oneIn(4))
  return {
    ...message,
    shortIds: message.shortIds.filter((_, i) => !chosen[i + 1]),
    prefilled: block.transactions.flatMap((transaction, index) => chosen[index] ? [{ index, transaction }] : [])
  }
}

const generate = (random: Random, { blocks, transactions }: Seeds): Rebuilding => {
  for (;;) {
    const bytes = random.pick(blocks)
    const decoded = decodeBlock(bytes)
    if (decoded._tag === "Failure" || bytes.length > LARGEST_BLOCK) continue
    const block = decoded.success
    if (block.transactions.length === 0) continue
    const message = withPrefilled(compactBlockOf(block, BigInt(random.below(2 ** 32)), nobleCrypto), block, random)
    const compact = encodeMessage(message)
    const own = block.transactions.filter(() => !random.oneIn(3)).map((transaction) => transaction.bytes)
    const others = Array.from({ length: random.below(4) }, () => random.pick(transactions))
    return {
      block: bytes,
      compact: random.oneIn(3) ? mutateBytes(compact, random) : compact,
      pool: random.oneIn(2) ? [...own, ...others] : [...others, ...own.toReversed(), ...own],
      more: random.oneIn(4) ? random.below(5) - 2 : 0
    }
  }
}

/** What is wrong with the places that are said to be missing. */
const missingWrong = (message: CmpctBlockMessage, block: Reconstruction): string | undefined => {
  const missing = missingIndexes(block)
  if (missing.length !== block.missing) return "the count of missing transactions is not that of their places"
  if (missing.some((place, i) => i > 0 && place <= missing[i - 1]!)) return "missing places do not ascend"
  const prefilled = new Set(message.prefilled.map(({ index }) => index))
  if (missing.some((place) => prefilled.has(place))) return "a prefilled transaction is missing"
  return missing.length <= message.shortIds.length ? undefined : "more transactions are missing than short ids came"
}

const offered = (block: Reconstruction, pool: ReadonlyArray<Uint8Array>): string | undefined => {
  for (const bytes of pool) {
    const decoded = decodeTransaction(bytes)
    if (decoded._tag === "Failure") continue
    const before = block.missing
    const isIn = offerTransaction(block, witnessTransactionId(decoded.success, nobleCrypto), () => bytes)
    if (isIn !== (block.missing === before - 1)) return "a transaction is said to be put in, and is not missing less"
  }
  return undefined
}

/** What is wrong where the message is the one that was made from the block. */
const wholeWrong = ({ block, compact, pool }: Rebuilding, rebuilt: Uint8Array, left: number): string | undefined => {
  const original = decodeBlock(block)
  if (original._tag === "Failure") return "the block is none"
  const message = decodeMessage("cmpctblock", compact)
  if (message._tag === "Failure") return "the message is none"
  const had = new Set(pool.map(String))
  const prefilled = new Set(message.success.message.prefilled.map(({ index }) => index))
  const wanted = original.success.transactions.filter((tx, i) => !prefilled.has(i) && !had.has(String(tx.bytes)))
  if (left !== wanted.length) return `${left} transactions are missing instead of ${wanted.length}`
  return bytesEqual(rebuilt, block) ? undefined : "the block that was put together is another one"
}

/** Whether the compact form is that of the block, unchanged. */
const isHonest = ({ block, compact }: Rebuilding): boolean => {
  const [decoded, message] = [decodeBlock(block), decodeMessage("cmpctblock", compact)]
  if (decoded._tag === "Failure" || message._tag === "Failure") return false
  const { header, nonce, prefilled, shortIds } = message.success.message
  const { header: of, transactions } = decoded.success
  if (!bytesEqual(header.bytes, of.bytes) || message.success.trailing.length > 0) return false
  if (shortIds.length + prefilled.length !== transactions.length) return false
  if (prefilled.some(({ index, transaction }) => String(transactions[index]?.bytes) !== String(transaction.bytes))) {
    return false
  }
  const all = compactBlockOf(decoded.success, nonce, nobleCrypto).shortIds
  const inMessage = new Set(prefilled.map(({ index }) => index))
  return all.filter((_, i) => !inMessage.has(i + 1)).every((id, i) => id === shortIds[i])
}

/** What is wrong when the transactions that are missing are sent: as many, fewer, or more. */
const completedWrong = (input: Rebuilding, block: Reconstruction, honest: boolean): string | undefined => {
  const original = decodeBlock(input.block)
  const transactions = original._tag === "Success" ? original.success.transactions : []
  const filler = transactions[0]?.bytes ?? new Uint8Array(1)
  const missing = missingIndexes(block)
  const sent = missing.map((place) => transactions[place]?.bytes ?? filler)
  const given = input.more < 0
    ? sent.slice(0, input.more)
    : [...sent, ...Array.from({ length: input.more }, () => filler)]
  const whole = completed(block, given)
  if (given.length !== missing.length) {
    return whole._tag === "Failure" ? undefined : "another number of transactions than missing makes a block"
  }
  if (whole._tag === "Failure") return "all missing transactions make no block"
  const size = block.slots.reduce((sum, slot, i) => sum + (slot ?? sent[missing.indexOf(i)]!).length, 0)
  if (whole.success.length < 81 + size) return "the block is shorter than its transactions"
  return honest ? wholeWrong(input, whole.success, missing.length) : undefined
}

const judge = (input: Rebuilding): string | undefined => {
  const decoded = decodeMessage("cmpctblock", input.compact)
  if (decoded._tag === "Failure") return undefined
  const { message } = decoded.success
  const begun = reconstruction(message, nobleCrypto)
  const honest = isHonest(input)
  if (begun._tag === "Failure") {
    const isFair = begun.failure._tag === "ShortIdCollision" || message.header.bits === 0
    return honest && !isFair ? `an honest compact block is refused: ${begun.failure._tag}` : undefined
  }
  const block = begun.success
  const wrong = missingWrong(message, block) ?? offered(block, input.pool) ?? missingWrong(message, block)
  if (wrong !== undefined) return wrong
  return completedWrong(input, block, honest)
}

/** Compact blocks, honest and damaged, with any pool, and as many transactions sent as missing or not. */
export const compactBlockTarget: Target<Rebuilding> = {
  name: "compact-block",
  about: "compact blocks: what is missing with any pool, and the block that comes out",
  generate,
  judge
}
