import { offerTransaction, type Reconstruction } from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import { sharedCopies } from "../options/shared-copies.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import type { ExtraTransactions } from "../state/extra-transactions.ts"

/** Number of transactions of a block that were found, and how many of them came from the extra pool. */
export interface Matched {
  readonly found: number
  readonly extra: number
}

/**
 * Fills a block with transactions of the mempool and of the extra pool. It tries the mempool in mining order, so that a
 * walk over a large mempool ends early if nothing is missing.
 */
export const matchTransactions = (
  block: Reconstruction,
  mempool: TxMempool | undefined,
  extra: ExtraTransactions
): Matched => {
  const wanted = block.missing
  if (mempool !== undefined && wanted > 0) {
    const copy = sharedCopies()
    let offered = 0
    const read = (): Uint8Array => copy(mempool.bytes(offered))
    const readId = (): Uint8Array => mempool.txid(offered)
    for (offered of mempool.graph.miningOrder()) {
      offerTransaction(block, mempool.wtxid(offered), read, readId)
      if (block.missing === 0) break
    }
  }
  const inMempool = wanted - block.missing
  for (const { bytes, wtxid } of extra.all()) offerTransaction(block, wtxid, () => bytes)
  const found = wanted - block.missing
  return { found, extra: Math.max(0, found - inMempool) }
}
