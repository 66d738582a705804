import { compactSizeLength } from "../bytes/compact-size.ts"
import { WITNESS_SCALE_FACTOR } from "../constants.ts"
import type { Block } from "./block.ts"
import type { Weight } from "../quantities.ts"
import type { Transaction } from "./transaction.ts"

/** Bytes of the form without witness: version, body, lock time. */
export const strippedSize = (tx: Transaction): number => tx.body.length + 8

/**
 * Weight of a transaction: a byte of the witness counts one, any other four.
 *
 *     weight = 3·stripped + total
 *
 * @spec SER-033 #26b518ff
 */
export const transactionWeight = (tx: Transaction): Weight =>
  (WITNESS_SCALE_FACTOR - 1) * strippedSize(tx) + tx.bytes.length

/**
 * Weight of a block: header and count are outside every witness.
 *
 *     weight = 4·(80 + |count|) + Σ weight(tx)
 *
 * @spec SER-034 #3547ac11
 */
export const blockWeight = (block: Block): Weight => {
  let weight = WITNESS_SCALE_FACTOR * (80 + compactSizeLength(block.transactions.length))
  for (const tx of block.transactions) weight += transactionWeight(tx)
  return weight
}
