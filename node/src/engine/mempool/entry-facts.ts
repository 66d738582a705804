import type { TxHandle } from "@lockstep/txgraph"
import { unixSeconds } from "../../quantities.ts"
import type { ClusterFacts, MempoolEntryFacts, MempoolTransaction, RelativeSums } from "../api/mempool-calls.ts"
import type { Relatives, TxMempool } from "../txmempool/contract.ts"

const HASH_BYTES = 32

const idsOf = (state: TxMempool, txs: ReadonlyArray<TxHandle>): ReadonlyArray<Uint8Array> => {
  const ids = state.txids(txs)
  return txs.map((_tx, i) => new Uint8Array(ids.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)))
}

const sumsOf = ({ count, fees, virtualSize }: Relatives): RelativeSums => ({ count, virtualSize, fees })

/** Facts of an entry for calls. */
export const entryFacts = (state: TxMempool, tx: TxHandle): MempoolEntryFacts => {
  const { fee, height, modifiedFee, time, txid, virtualSize, weight, wtxid } = state.entry(tx)
  const chunk = state.chunkFeerate(tx)
  return {
    txid,
    wtxid,
    weight,
    virtualSize,
    fee,
    modifiedFee,
    time: unixSeconds(time),
    height,
    ancestors: sumsOf(state.ancestorSums(tx)),
    descendants: sumsOf(state.descendantSums(tx)),
    chunk: { fee: BigInt(chunk.fee), weight: chunk.size },
    depends: idsOf(state, state.parents(tx)),
    spentBy: idsOf(state, state.children(tx)),
    isUnbroadcast: state.isUnbroadcast(tx)
  }
}

/** An entry with its bytes, for a replica. */
export const mempoolTransaction = (state: TxMempool, tx: TxHandle): MempoolTransaction => {
  const { bytes, fee, sequence, txid, virtualSize, wtxid } = state.entry(tx)
  return { txid, wtxid, bytes, fee, virtualSize, sequence }
}

/** The cluster of an entry. */
export const clusterFacts = (state: TxMempool, tx: TxHandle): ClusterFacts => {
  const chunks = state.graph.cluster(tx)
  return {
    weight: chunks.reduce((sum, { size }) => sum + size, 0),
    count: chunks.reduce((sum, { transactions }) => sum + transactions.length, 0),
    chunks: chunks.map(({ fee, size, transactions }) => ({
      fee: BigInt(fee),
      weight: size,
      txids: idsOf(state, transactions)
    }))
  }
}
