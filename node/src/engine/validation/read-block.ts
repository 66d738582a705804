import { concatBytes, cursorOn, encodeCompactSize, readBytes, readCompactSize } from "@lockstep/kernel/bytes"
import { witnessCommitmentIndex } from "@lockstep/kernel/block"
import { type Block, decodeBlock, readTransaction, transactionOf } from "@lockstep/kernel/model"
import * as Result from "effect/Result"

/** Length of the block at the start of `bytes`. Bitcoin Core's RPC ignores the bytes after it. */
const blockLengthIn = (bytes: Uint8Array): number => {
  const cursor = cursorOn(bytes)
  readBytes(cursor, 80)
  const count = readCompactSize(cursor)
  for (let i = 0; i < count && cursor.broken === undefined; i++) readTransaction(cursor)
  return cursor.offset
}

/** Decodes `bytes` as exactly one block. Returns `undefined` if they are not. */
export const blockOf = (bytes: Uint8Array): Block | undefined => {
  const verdict = decodeBlock(bytes)
  return Result.isSuccess(verdict) ? verdict.success : undefined
}

/** Decodes the block at the start of `bytes`. Returns `undefined` without a valid block. */
export const blockAtStart = (bytes: Uint8Array): Block | undefined =>
  blockOf(bytes) ?? blockOf(bytes.subarray(0, blockLengthIn(bytes)))

const NONCE = new Uint8Array(32)

/**
 * Completes a block as `submitblock` does: a coinbase that commits to witnesses but has none gets a witness of zeros.
 * `expected` is true if segwit is active.
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
