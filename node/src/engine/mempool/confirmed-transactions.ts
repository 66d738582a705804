import { type Block, witnessTransactionIds } from "@lockstep/kernel/model"
import type { ChainEngine } from "../state/chain-engine.ts"

/** Outpoints spent by all transactions except the coinbase, 36 bytes each. */
const spentBy = ({ transactions }: Block): Uint8Array => {
  let count = 0
  for (let i = 1; i < transactions.length; i++) count += transactions[i]!.inputs.length
  const bytes = new Uint8Array(count * 36)
  const view = new DataView(bytes.buffer)
  let at = 0
  for (let i = 1; i < transactions.length; i++) {
    for (const { prevout: { txid, vout } } of transactions[i]!.inputs) {
      bytes.set(txid, at)
      view.setUint32(at + 32, vout, true)
      at += 36
    }
  }
  return bytes
}

/**
 * Notifies of the transactions of a new tip besides its coinbase. In the initial block download no transaction is
 * requested.
 */
export const notifyConfirmed = (
  engine: ChainEngine,
  block: Block,
  transactionIds: Uint8Array,
  witnessIds?: Uint8Array
): void => {
  if (!engine.feed.isFollowed() || engine.initialBlockDownload) return
  engine.notify({
    _tag: "Confirmed",
    transactions: {
      // Copies, because a view would transfer its whole buffer.
      txids: transactionIds.slice(32),
      wtxids: (witnessIds ?? witnessTransactionIds(block, engine.crypto)).slice(32),
      spent: spentBy(block)
    }
  })
}
