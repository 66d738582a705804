import { transactionIds } from "@lockstep/kernel/block"
import type { Crypto } from "@lockstep/kernel/crypto"
import { type Block, blockHash, type BlockIdentity } from "@lockstep/kernel/model"

/** A block with what is computed of it once. */
export interface IdentifiedBlock {
  readonly block: Block
  readonly identity: BlockIdentity
  /** The engine owns its bytes: they were transferred, or read for this. */
  readonly isOurs?: boolean
}

/** The hash of `block` and the ids of all its transactions. */
export const identified = (block: Block, crypto: Crypto): IdentifiedBlock => ({
  block,
  identity: { hash: blockHash(block.header, crypto), transactionIds: transactionIds(block, crypto) }
})
