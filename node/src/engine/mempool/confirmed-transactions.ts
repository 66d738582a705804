import { witnessTransactionIds } from "@lockstep/kernel/block"
import type { Block, OutPoint } from "@lockstep/kernel/model"
import type { ChainEngine } from "../chain-engine.ts"

const outpointBytes = (outpoints: ReadonlyArray<OutPoint>): Uint8Array => {
  const bytes = new Uint8Array(outpoints.length * 36)
  const view = new DataView(bytes.buffer)
  for (const [i, { txid, vout }] of outpoints.entries()) {
    bytes.set(txid, i * 36)
    view.setUint32(i * 36 + 32, vout, true)
  }
  return bytes
}

/**
 * Notifies of the transactions of a new tip besides its coinbase. In the initial download no transaction is requested.
 */
export const notifyConfirmed = (engine: ChainEngine, block: Block, transactionIds: Uint8Array): void => {
  if (!engine.feed.isFollowed() || engine.initialBlockDownload) return
  const spent = block.transactions.slice(1).flatMap(({ inputs }) => inputs.map(({ prevout }) => prevout))
  engine.notify({
    _tag: "Confirmed",
    transactions: {
      // Copies: a part of a buffer would take all of it along.
      txids: transactionIds.slice(32),
      wtxids: witnessTransactionIds(block, engine.crypto).slice(32),
      spent: outpointBytes(spent)
    }
  })
}
