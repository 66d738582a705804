import * as Result from "effect/Result"
import type { Crypto } from "../crypto/crypto.ts"
import type { ChainParameters } from "../parameters/chain-parameters.ts"
import { medianTimePast } from "../chain/median-time.ts"
import type { HeaderNode } from "../chain/header-node.ts"
import type { Block } from "../model/block.ts"
import type { BlockIdentity } from "../model/block-identity.ts"
import { checkTransaction } from "../tx/check-transaction.ts"
import { HOLDS, type Verdict, type Violation } from "../verdict.ts"
import { proofOfWork } from "../work/proof-of-work.ts"
import { coinbaseStartsWithHeight, firstIsCoinbase, onlyFirstIsCoinbase } from "./coinbase.ts"
import { transactionsAreFinal } from "./final-transactions.ts"
import { blockIsNotTooHeavy, blockLength, legacySigOpsFitBlock } from "./limits.ts"
import { checkMerkleRoot } from "./merkle-commitment.ts"
import { signetSolutionHolds } from "./signet.ts"
import { checkWitnessCommitment } from "./witness-commitment.ts"

const checkTransactions = (block: Block): Verdict<void, Violation> => {
  for (const tx of block.transactions) {
    const verdict = checkTransaction(tx)
    if (Result.isFailure(verdict)) return verdict
  }
  return HOLDS
}

/** Checks a block alone, except for its header and for what the header commits to. */
export const checkBody = (block: Block): Verdict<void, Violation> => {
  for (const rule of [blockLength, firstIsCoinbase, onlyFirstIsCoinbase, checkTransactions, legacySigOpsFitBlock]) {
    const verdict = rule(block)
    if (Result.isFailure(verdict)) return verdict
  }
  return HOLDS
}

/**
 * Checks a block alone, except for its proof of work and its network's signature, which a proposal does not have yet.
 */
export const checkContents = (block: Block, identity: BlockIdentity, crypto: Crypto): Verdict<void, Violation> => {
  const rootCommits = checkMerkleRoot(block, identity, crypto)
  return Result.isFailure(rootCommits) ? rootCommits : checkBody(block)
}

/**
 * Checks a block alone, without its ancestry: proof of work, signature of a signed network, commitment to its
 * transactions, sizes, coinbase, transactions, signature operations.
 *
 * The commitment comes before everything about transactions: what fails after it condemns the header for good. A header
 * must not be condemned for transactions that are not its own.
 *
 * @spec BLK-015 #bf3d69b0
 */
export const checkBlock = (
  block: Block,
  identity: BlockIdentity,
  parameters: ChainParameters,
  crypto: Crypto
): Verdict<void, Violation> => {
  const hasWork = proofOfWork(identity.hash, block.header.bits, parameters.work.powLimit)
  if (Result.isFailure(hasWork)) return hasWork
  const signed = signetSolutionHolds(block, identity, parameters, crypto)
  return Result.isFailure(signed) ? signed : checkContents(block, identity, crypto)
}

/**
 * Checks a block on top of `parent`: final transactions, height in its coinbase, witnesses, weight. Precondition:
 * BLK-015 and HDR-007.
 *
 * @spec BLK-016 #967699d1
 */
export const checkBlockInContext = (
  block: Block,
  identity: BlockIdentity,
  parent: HeaderNode,
  parameters: ChainParameters,
  crypto: Crypto
): Verdict<void, Violation> => {
  const { heights } = parameters
  const height = parent.height + 1
  const cutoff = height >= heights.csv ? medianTimePast(parent) : block.header.time
  const areFinal = transactionsAreFinal(block, height, cutoff)
  if (Result.isFailure(areFinal)) return areFinal
  const startsWithHeight = height >= heights.bip34 ? coinbaseStartsWithHeight(block, height) : HOLDS
  if (Result.isFailure(startsWithHeight)) return startsWithHeight
  const witnessesCommitted = checkWitnessCommitment(block, identity, height >= heights.segwit, crypto)
  return Result.isFailure(witnessesCommitted) ? witnessesCommitted : blockIsNotTooHeavy(block)
}
