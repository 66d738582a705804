import * as Result from "effect/Result"
import type { Crypto } from "../crypto/crypto.ts"
import type { BlockIdentity } from "../model/block-identity.ts"
import type { Block } from "../model/block.ts"
import { isCoinbase } from "../model/transaction.ts"
import { strippedSize } from "../model/weight.ts"
import { checkMerkleRoot } from "./merkle-commitment.ts"
import { checkWitnessCommitment } from "./witness-commitment.ts"

/** Size at which a transaction could be an inner node of the merkle tree. */
const MERKLE_NODE_SIZE = 64

/**
 * Reports whether a block from a peer is not what its header commits to, so that nothing may be concluded about the
 * header. `witnesses` is true if segwit is in force.
 *
 * Transactions of 64 bytes make only a block without a proper coinbase suspect (CVE-2017-12842): they are valid by
 * themselves, and honest blocks have had them.
 *
 * @spec BLK-018 #9efac74c
 */
export const blockIsMutated = (
  block: Block,
  identity: BlockIdentity,
  witnesses: boolean,
  crypto: Crypto
): boolean => {
  if (Result.isFailure(checkMerkleRoot(block, identity, crypto))) return true
  const first = block.transactions[0]
  if (first !== undefined && isCoinbase(first)) {
    return Result.isFailure(checkWitnessCommitment(block, identity, witnesses, crypto))
  }
  return block.transactions.some((tx) => strippedSize(tx) === MERKLE_NODE_SIZE)
}
