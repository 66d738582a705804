import type { TxHandle } from "@lockstep/txgraph"
import { dustOutputs, feePerKilobyte, MAX_BIP125_RBF_SEQUENCE } from "@lockstep/kernel/relay"
import * as Effect from "effect/Effect"
import type { Handlers } from "../api/handler.ts"
import type { MempoolEntryFacts, MempoolFacts, MempoolQueryCalls, MempoolTransaction } from "../api/mempool-calls.ts"
import type { Writer } from "../chainstate/writer.ts"
import { periodicYield } from "../options/yield-to-event-loop.ts"
import type { MempoolContext } from "./contract.ts"
import { clusterFacts, entryFacts, mempoolTransaction } from "./entry-facts.ts"
import { outputsAt } from "./outputs.ts"

type QueryContext = Pick<MempoolContext, "engine" | "minimumFee" | "settings" | "state">

const WITNESS_SCALE_FACTOR = 4

const relayFees = ({ settings: { policy } }: QueryContext) => ({
  minRelayFee: feePerKilobyte(policy.minRelayFee),
  incrementalRelayFee: feePerKilobyte(policy.incrementalRelayFee)
})

const mempoolFacts = (context: QueryContext, loaded: boolean): MempoolFacts => {
  const { minimumFee, settings, state } = context
  const { count, fees, usage, virtualSize } = state.totals()
  const { maxBytes, policy, terms } = settings
  return {
    loaded,
    count,
    virtualSize,
    usage,
    fees,
    maxBytes,
    rollingMinimum: minimumFee(),
    ...relayFees(context),
    unbroadcast: state.unbroadcast().length,
    permitBareMultisig: policy.permitBareMultisig,
    dataCarrierBytes: policy.dataCarrierBytes,
    clusterCount: policy.cluster.count,
    clusterSize: policy.cluster.weight / WITNESS_SCALE_FACTOR,
    isOptimal: state.graph.isOptimal(),
    replacesUnsignalled: terms.allowed && !terms.signalling
  }
}

/** Collects all entries without any change in between. Other calls are handled meanwhile. */
const allEntries = Effect.fnUntraced(function*(
  { state }: QueryContext
): Effect.fn.Return<ReadonlyArray<MempoolEntryFacts>> {
  const pause = periodicYield()
  const entries: Array<MempoolEntryFacts> = []
  for (const tx of state.graph.miningOrder()) {
    entries.push(entryFacts(state, tx))
    yield* pause
  }
  return entries
})

/** Reports whether an entry signals that it may be replaced, itself or through an ancestor. */
const signalling = (state: QueryContext["state"]): (tx: TxHandle) => boolean => {
  const found = new Map<TxHandle, boolean>()
  const signals = (tx: TxHandle): boolean => {
    const known = found.get(tx)
    if (known !== undefined) return known
    const isOwn = state.transaction(tx).inputs.some(({ sequence }) => sequence <= MAX_BIP125_RBF_SEQUENCE)
    const isSignalling = isOwn || state.parents(tx).some(signals)
    found.set(tx, isSignalling)
    return isSignalling
  }
  return signals
}

/** Changes a fee delta. A transaction with dust must pay no fee, so it cannot get one. */
const prioritise = ({ settings: { policy }, state }: QueryContext, txid: Uint8Array, delta: bigint): boolean => {
  const tx = state.ofTxid(txid)
  const hasDust = tx !== undefined && policy.requireStandard &&
    dustOutputs(state.transaction(tx), policy.dustRelayFee).length > 0
  if (!hasDust) state.prioritise(txid, delta)
  return !hasDust
}

/** Handlers of queries of the mempool. `isLoaded` reports whether the file of the last run has been read. */
export const mempoolQueryHandlers = (
  context: QueryContext,
  writer: Pick<Writer, "alone">,
  isLoaded: () => boolean
): Handlers<keyof MempoolQueryCalls> => {
  const { state } = context
  const of = <A>(txid: Uint8Array, answer: (tx: TxHandle) => A): A | undefined => {
    const tx = state.ofTxid(txid)
    return tx === undefined ? undefined : answer(tx)
  }
  const relatives = (tx: TxHandle, which: "ancestors" | "descendants"): ReadonlyArray<MempoolEntryFacts> =>
    state.graph[which]([tx])
      .filter((each) => each !== tx)
      .toSorted(state.compareTxids)
      .map((each) => entryFacts(state, each))
  const entryOf = (id: Uint8Array, kind: "txid" | "wtxid"): MempoolTransaction | undefined => {
    const tx = kind === "txid" ? state.ofTxid(id) : state.ofWtxid(id)
    return tx === undefined ? undefined : mempoolTransaction(state, tx)
  }
  return {
    mempoolFacts: () => Effect.sync(() => mempoolFacts(context, isLoaded())),
    relayFees: () => Effect.sync(() => relayFees(context)),
    mempoolIds: () =>
      Effect.sync(() => ({ txids: state.txids(state.graph.miningOrder()), sequence: state.sequence() })),
    mempoolEntries: () => writer.alone(allEntries(context)),
    mempoolEntry: ({ txid }) => Effect.sync(() => of(txid, (tx) => entryFacts(state, tx))),
    mempoolRelatives: ({ txid, which }) => Effect.sync(() => of(txid, (tx) => relatives(tx, which))),
    mempoolSignals: ({ txids }) =>
      Effect.sync(() => {
        const signals = signalling(state)
        return txids.map((txid) => of(txid, signals) ?? false)
      }),
    mempoolCluster: ({ txid }) => Effect.sync(() => of(txid, (tx) => clusterFacts(state, tx))),
    feerateDiagram: () => Effect.sync(() => state.feerateDiagram()),
    mempoolSpenders: ({ outpoints }) =>
      Effect.sync(() =>
        outpoints.map((outpoint) => {
          const tx = state.spenderOf(outpoint)
          if (tx === undefined) return undefined
          const { bytes, txid } = state.entry(tx)
          return { txid, bytes }
        })
      ),
    outputs: ({ outpoints }) => writer.alone(outputsAt(context, outpoints)),
    mempoolTransaction: ({ id, kind }) => Effect.sync(() => entryOf(id, kind)),
    mempoolTransactions: ({ ids, kind }) => Effect.sync(() => ids.map((id) => entryOf(id, kind))),
    prioritise: ({ delta, txid }) => writer.alone(Effect.sync(() => prioritise(context, txid, delta))),
    prioritised: () => Effect.sync(() => state.prioritised())
  }
}
