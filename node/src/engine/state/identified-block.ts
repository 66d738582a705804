import { merkleRoot, witnessCommitmentIndex } from "@lockstep/kernel/block"
import type { Crypto } from "@lockstep/kernel/crypto"
import {
  type Block,
  blockHash,
  type BlockIdentity,
  blockIdentity,
  transactionId,
  witnessTransactionId
} from "@lockstep/kernel/model"
import type { KnownIds } from "@lockstep/protocol/wire/compact-block/reconstruction.ts"

/** A block with values that are computed only once. */
export interface IdentifiedBlock {
  readonly block: Block
  readonly identity: BlockIdentity
  /** The wtxids of all transactions, concatenated; the coinbase's is zero. Absent if they were not computed. */
  readonly witnessIds?: Uint8Array | undefined
  /** True if the engine owns its bytes: they were transferred, or read for this. */
  readonly isOurs?: boolean
}

/** Computes the hash of `block` and the ids of all its transactions. */
export const identified = (block: Block, crypto: Crypto): IdentifiedBlock => ({
  block,
  identity: blockIdentity(block, crypto)
})

/** Computes the ids that are not known. Precondition: `known` belongs to the transactions of this block. */
const idsOf = ({ transactions }: Block, crypto: Crypto, known: KnownIds | undefined): Uint8Array => {
  const ids = new Uint8Array(transactions.length * 32)
  if (known !== undefined) ids.set(known.transactionIds)
  for (let i = 0; i < transactions.length; i++) {
    if (known?.has[i] !== 1) ids.set(transactionId(transactions[i]!, crypto), i * 32)
  }
  return ids
}

/** Computes the same for wtxids. That of a transaction without a witness is its txid. */
const witnessIdsOf = ({ transactions }: Block, ids: Uint8Array, crypto: Crypto, known?: KnownIds): Uint8Array => {
  const witnessIds = new Uint8Array(ids.length)
  witnessIds.set(ids.subarray(32), 32)
  for (let i = 1; i < transactions.length; i++) {
    const tx = transactions[i]!
    if (!tx.hasWitness) continue
    const at = i * 32
    witnessIds.set(known?.has[i] === 1 ? known.witnessIds.subarray(at, at + 32) : witnessTransactionId(tx, crypto), at)
  }
  return witnessIds
}

/** Reports whether the coinbase commits to witnesses and a transaction has one. */
const commitsToWitnesses = ({ transactions }: Block): boolean =>
  transactions[0]?.hasWitness === true && witnessCommitmentIndex(transactions[0]) >= 0

/**
 * Identifies a block and computes the roots that several rules compare. Ids in `known` are not computed: they must be
 * those of the transactions in this block.
 */
export const identifiedWithRoots = (block: Block, crypto: Crypto, known?: KnownIds): IdentifiedBlock => {
  const ids = idsOf(block, crypto, known)
  const witnessIds = commitsToWitnesses(block) ? witnessIdsOf(block, ids, crypto, known) : undefined
  return {
    block,
    identity: {
      hash: blockHash(block.header, crypto),
      transactionIds: ids,
      merkleRoot: merkleRoot(ids, crypto),
      witnessRoot: witnessIds && merkleRoot(witnessIds, crypto)
    },
    witnessIds
  }
}
