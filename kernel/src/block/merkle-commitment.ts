import * as Result from "effect/Result"
import { bytesEqual } from "../bytes/equal.ts"
import type { Crypto } from "../crypto/crypto.ts"
import type { Block, MerkleRoot } from "../model/block.ts"
import { transactionId, witnessTransactionId } from "../model/identity.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { merkleRoot } from "./merkle.ts"

export type WrongMerkleRoot = Violation<"BLK-002", { readonly root: Uint8Array }>
export type RepeatedTransactions = Violation<"BLK-003", null>

/** The ids of all transactions, one after another. */
export const transactionIds = (block: Block, crypto: Crypto): Uint8Array => {
  const ids = new Uint8Array(block.transactions.length * 32)
  for (let i = 0; i < block.transactions.length; i++) ids.set(transactionId(block.transactions[i]!, crypto), i * 32)
  return ids
}

/** The witness ids of all transactions, one after another; the coinbase counts as zero. */
export const witnessTransactionIds = (block: Block, crypto: Crypto): Uint8Array => {
  const ids = new Uint8Array(block.transactions.length * 32)
  for (let i = 1; i < block.transactions.length; i++) {
    ids.set(witnessTransactionId(block.transactions[i]!, crypto), i * 32)
  }
  return ids
}

/**
 * The header commits to the transactions. A block that fails is damaged, not invalid: another block may have this
 * header.
 *
 * @spec BLK-002 #06302a13
 */
export const merkleRootCommits = (block: Block, computed: MerkleRoot): Verdict<void, WrongMerkleRoot> =>
  bytesEqual(block.header.merkleRoot, computed.root)
    ? HOLDS
    : Result.fail(violation("BLK-002", { root: computed.root }))

/**
 * No transactions were repeated at the end of a list without changing its root (CVE-2012-2459). Such a block is
 * damaged, not invalid: the list without the repetition has the same header.
 *
 * @spec BLK-003 #99301549
 */
export const transactionsAreNotRepeated = (computed: MerkleRoot): Verdict<void, RepeatedTransactions> =>
  computed.mutated ? Result.fail(violation("BLK-003", null)) : HOLDS

/** BLK-002, then BLK-003. */
export const checkMerkleRoot = (
  block: Block,
  ids: Uint8Array,
  crypto: Crypto
): Verdict<void, WrongMerkleRoot | RepeatedTransactions> => {
  const computed = block.roots?.merkle ?? merkleRoot(ids, crypto)
  const commits = merkleRootCommits(block, computed)
  return Result.isFailure(commits) ? commits : transactionsAreNotRepeated(computed)
}
