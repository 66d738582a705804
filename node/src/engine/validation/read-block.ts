import { concatBytes, cursorOn, encodeCompactSize, readBytes, readCompactSize } from "@lockstep/kernel/bytes"
import { witnessCommitmentIndex } from "@lockstep/kernel/block"
import { type Block, decodeBlock, readTransaction, transactionOf } from "@lockstep/kernel/model"
import * as Result from "effect/Result"

/** How many of `bytes` are a block: Bitcoin Core's RPC ignores the bytes behind it. */
const blockLengthIn = (bytes: Uint8Array): number => {
  const cursor = cursorOn(bytes)
  readBytes(cursor, 80)
  const count = readCompactSize(cursor)
  for (let i = 0; i < count && cursor.broken === undefined; i++) readTransaction(cursor)
  return cursor.offset
}

/** The block that `bytes` are; none when they are not exactly one. */
export const blockOf = (bytes: Uint8Array): Block | undefined => {
  const verdict = decodeBlock(bytes)
  return Result.isSuccess(verdict) ? verdict.success : undefined
}

/** The block that `bytes` start with; none when they do not. */
export const blockAtStart = (bytes: Uint8Array): Block | undefined =>
  blockOf(bytes) ?? blockOf(bytes.subarray(0, blockLengthIn(bytes)))

const NONCE = new Uint8Array(32)

/**
 * The block as `submitblock` completes it: a coinbase that commits to witnesses but has none itself gets a witness of
 * zeros. `expected` where segwit is in force.
 */
export const withWitnessNonce = (block: Block, expected: boolean): Block => {
  const [coinbase, ...others] = block.transactions
  if (!expected || coinbase === undefined || coinbase.hasWitness || coinbase.inputs.length === 0) return block
  if (witnessCommitmentIndex(coinbase) < 0) return block
  const inputs = coinbase.inputs.map((input, i) => i === 0 ? { ...input, witness: [NONCE] } : input)
  const transactions = [transactionOf({ ...coinbase, inputs }), ...others]
  const parts = [block.header.bytes, encodeCompactSize(transactions.length), ...transactions.map(({ bytes }) => bytes)]
  return blockOf(concatBytes(parts)) ?? block
}
