import { checkMerkleRoot, transactionIds } from "@lockstep/kernel/block/merkle-commitment.ts"
import { checkWitnessCommitment } from "@lockstep/kernel/block/witness-commitment.ts"
import { bytesEqual } from "@lockstep/kernel/bytes/equal.ts"
import type { Crypto } from "@lockstep/kernel/crypto/crypto.ts"
import { type Block, decodeBlock } from "@lockstep/kernel/model/block.ts"
import { blockHash } from "@lockstep/kernel/model/identity.ts"
import * as Result from "effect/Result"

/** The block in these bytes, when every bit of it is what `hash` commits to. */
export const wholeBlock = (bytes: Uint8Array, hash: Uint8Array, crypto: Crypto): Block | undefined => {
  const decoded = decodeBlock(bytes)
  if (Result.isFailure(decoded)) return undefined
  const block = decoded.success
  const isWhole = bytesEqual(blockHash(block.header, crypto), hash) &&
    Result.isSuccess(checkMerkleRoot(block, transactionIds(block, crypto), crypto)) &&
    // Whatever was in force then: a block that has witnesses commits to them.
    Result.isSuccess(checkWitnessCommitment(block, block.transactions.some(({ hasWitness }) => hasWitness), crypto))
  return isWhole ? block : undefined
}
