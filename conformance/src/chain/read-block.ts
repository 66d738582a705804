import { encodeCompactSize, readCompactSize } from "@lockstep/kernel/internal/bytes/compact-size.ts"
import { cursorOn, readBytes } from "@lockstep/kernel/internal/bytes/cursor.ts"
import { concatBytes } from "@lockstep/kernel/internal/bytes/equal.ts"
import { witnessCommitmentIndex } from "@lockstep/kernel/internal/block/witness-commitment.ts"
import { type Block, decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { readTransaction } from "@lockstep/kernel/internal/model/transaction-codec.ts"
import { transactionOf } from "@lockstep/kernel/internal/model/transaction-encode.ts"
import type { Transaction } from "@lockstep/kernel/internal/model/transaction.ts"
import * as Result from "effect/Result"

/** How many of `bytes` are a block; Bitcoin Core's RPC ignores what follows it. */
const blockLengthIn = (bytes: Uint8Array): number => {
  const cursor = cursorOn(bytes)
  readBytes(cursor, 80)
  const count = readCompactSize(cursor)
  for (let i = 0; i < count && cursor.broken === undefined; i++) readTransaction(cursor)
  return cursor.offset
}

/** The block that `bytes` start with; none when they do not. */
export const readBlock = (bytes: Uint8Array): Block | undefined => {
  const verdict = decodeBlock(bytes.subarray(0, blockLengthIn(bytes)))
  return Result.isSuccess(verdict) ? verdict.success : undefined
}

const NONCE = new Uint8Array(32)

const withNonce = (coinbase: Transaction): Transaction =>
  transactionOf({
    ...coinbase,
    inputs: coinbase.inputs.map((input, i) => i === 0 ? { ...input, witness: [NONCE] } : input)
  })

/**
 * The block as `submitblock` completes it: a coinbase that commits to witnesses but has none itself gets a witness of
 * zeros. `expected` where segwit is in force.
 */
export const withWitnessNonce = (block: Block, expected: boolean): Block => {
  const [coinbase, ...others] = block.transactions
  if (!expected || coinbase === undefined || coinbase.hasWitness || coinbase.inputs.length === 0) return block
  if (witnessCommitmentIndex(coinbase) < 0) return block
  const transactions = [withNonce(coinbase), ...others]
  const parts = [block.header.bytes, encodeCompactSize(transactions.length), ...transactions.map(({ bytes }) => bytes)]
  return Result.getOrElse(decodeBlock(concatBytes(parts)), () => block)
}
