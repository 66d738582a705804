import { witnessTransactionIds } from "@lockstep/kernel/block/merkle-commitment.ts"
import type { Block } from "@lockstep/kernel/model/block.ts"
import type { OutPoint } from "@lockstep/kernel/model/transaction.ts"
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

/** A block became the tip: what it holds besides its coinbase. In the initial download nothing is asked for that it might hold. */
export const tellConfirmed = (engine: ChainEngine, block: Block, transactionIds: Uint8Array): void => {
  if (!engine.feed.isFollowed() || engine.initialBlockDownload) return
  const spent = block.transactions.slice(1).flatMap(({ inputs }) => inputs.map(({ prevout }) => prevout))
  engine.tell({
    _tag: "Confirmed",
    transactions: {
      // Copies: a part of a buffer would take all of it along.
      txids: transactionIds.slice(32),
      wtxids: witnessTransactionIds(block, engine.crypto).slice(32),
      spent: outpointBytes(spent)
    }
  })
}
