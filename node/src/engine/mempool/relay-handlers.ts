import type { TxHandle } from "@lockstep/txgraph"
import * as Effect from "effect/Effect"
import type { MempoolRelayCalls } from "../api/mempool-calls.ts"
import type { Handlers } from "../api/handler.ts"
import type { MempoolContext } from "./contract.ts"
import { asTransaction } from "./mempool-notifications.ts"

/** Handlers of the network layer's calls about the mempool. */
export const relayHandlers = (
  { engine, foreseenMinimumFee, state }: MempoolContext
): Handlers<keyof MempoolRelayCalls> => {
  const txidOf = (tx: TxHandle): Uint8Array => state.entry(tx).txid
  return {
    followMempool: () =>
      Effect.sync(() => {
        // A new subscriber knows only the default minimum.
        const rate = foreseenMinimumFee()
        if (rate > 0) engine.notify({ _tag: "PoolRate", rate })
        return Array.from(state.graph.miningOrder(), (tx) => asTransaction(state.entry(tx)))
      }),
    markUnbroadcast: ({ txid }) => Effect.sync(() => state.markUnbroadcast(txid)),
    clearUnbroadcast: ({ txid }) => Effect.sync(() => state.clearUnbroadcast(txid)),
    unbroadcast: () => Effect.sync(() => state.unbroadcast().map(txidOf)),
    inMiningOrder: ({ wtxids }) =>
      Effect.sync(() => {
        const present = wtxids.flatMap((wtxid) => {
          const tx = state.ofWtxid(wtxid)
          return tx === undefined ? [] : [{ tx, wtxid }]
        })
        return present.sort((a, b) => state.graph.compareMiningOrder(a.tx, b.tx)).map(({ wtxid }) => wtxid)
      })
  }
}
