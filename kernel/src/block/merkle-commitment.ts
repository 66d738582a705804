import * as Result from "effect/Result"
import { bytesEqual } from "../bytes/equal.ts"
import type { Crypto } from "../crypto/crypto.ts"
import type { BlockIdentity, MerkleRoot } from "../model/block-identity.ts"
import type { Block } from "../model/block.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { merkleRoot } from "./merkle.ts"

export type WrongMerkleRoot = Violation<"BLK-002", { readonly root: Uint8Array }>
export type RepeatedTransactions = Violation<"BLK-003", null>

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
  identity: BlockIdentity,
  crypto: Crypto
): Verdict<void, WrongMerkleRoot | RepeatedTransactions> => {
  const computed = identity.merkleRoot ?? merkleRoot(identity.transactionIds, crypto)
  const commits = merkleRootCommits(block, computed)
  return Result.isFailure(commits) ? commits : transactionsAreNotRepeated(computed)
}
