import { blockConnected } from "./block-connected.ts"
import type { TxMempool, TxMempoolOptions } from "./contract.ts"
import { findId } from "./id-index.ts"
import { prioritise, prioritised } from "./priority.ts"
import { queriesOf } from "./queries.ts"
import { removeRecursive } from "./remove.ts"
import { connectReturned, filter } from "./reorganization.ts"
import { expire, foreseenMinimumFee, minimumFee, trim } from "./room.ts"
import { stage } from "./stage.ts"
import { emptyState, inRawOrder, writeLocks } from "./state.ts"

/** Makes an empty mempool. */
export const txMempool = (options: TxMempoolOptions): TxMempool => {
  const state = emptyState(options)
  const { byTxid, unbroadcast } = state
  return {
    ...queriesOf(state),
    stage: (arrivals) => stage(state, arrivals),
    takeSequence: () => state.sequence++,
    removeRecursive: (tx, txid, reason) => removeRecursive(state, tx, txid, reason),
    blockConnected: (transactions, txids, now) => blockConnected(state, transactions, txids, now),
    tipChanged: () => void state.updates++,
    connectReturned: (returned) => connectReturned(state, returned),
    filter: (isInvalid) => filter(state, isInvalid),
    setLocks: (tx, locks) => writeLocks(state, tx, locks),
    expire: (cutoff) => expire(state, cutoff),
    trim: () => trim(state),
    minimumFee: (now) => minimumFee(state, now),
    foreseenMinimumFee: (now) => foreseenMinimumFee(state, now),
    prioritise: (txid, delta) => prioritise(state, txid, delta),
    prioritised: () => prioritised(state),
    markUnbroadcast: (txid) => {
      const tx = findId(byTxid, txid)
      if (tx !== undefined) unbroadcast.add(tx)
      return tx !== undefined
    },
    clearUnbroadcast: (txid) => {
      const tx = findId(byTxid, txid)
      if (tx !== undefined) unbroadcast.delete(tx)
    },
    isUnbroadcast: (tx) => unbroadcast.has(tx),
    unbroadcast: () => inRawOrder(state, unbroadcast)
  }
}
