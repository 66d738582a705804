import type { Crypto } from "../crypto/crypto.ts"
import type { Bytes, Hash } from "../quantities.ts"
import type { Block } from "./block.ts"
import { blockHash, transactionId, witnessTransactionId } from "./identity.ts"

/** A merkle root in wire order, and whether two siblings are the same on some level. */
export interface MerkleRoot {
  readonly root: Hash
  readonly mutated: boolean
}

/**
 * Hashes of a block that are computed once and used by several rules. The rules trust it, so it must belong to the very
 * block that it is passed with. {@link blockIdentity} makes it.
 *
 * Each rule that needs an absent root computes it. A root that is present changes no verdict, and saves hashing
 * thousands of ids again if several rules judge the same block.
 */
export interface BlockIdentity {
  readonly hash: Hash
  /** The ids of all transactions, one after another. */
  readonly transactionIds: Bytes
  /** The merkle root of `transactionIds`. */
  readonly merkleRoot?: MerkleRoot | undefined
  /** The merkle root of {@link witnessTransactionIds}. */
  readonly witnessRoot?: MerkleRoot | undefined
}

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

/** The hash of `block` and the ids of its transactions; the roots are left to the rules. */
export const blockIdentity = (block: Block, crypto: Crypto): BlockIdentity => ({
  hash: blockHash(block.header, crypto),
  transactionIds: transactionIds(block, crypto)
})
