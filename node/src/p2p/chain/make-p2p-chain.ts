import { lastCommonAncestor } from "@lockstep/kernel/chain"
import type { Crypto } from "@lockstep/kernel/crypto"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Chain, EngineFailure } from "../../engine-client/chain.ts"
import { yieldToEventLoop } from "../../engine/options/yield-to-event-loop.ts"
import type { EngineCalls } from "../../engine/api/engine-calls.ts"
import type { EngineNotification } from "../../engine/api/engine-notification.ts"
import type { IndexCalls } from "../../engine/api/index-calls.ts"
import type { EngineFault, QueryError } from "../../engine/api/engine-error.ts"
import type { AcceptanceCalls, MempoolQueryCalls, MempoolRelayCalls } from "../../engine/api/mempool-calls.ts"
import type { CompactBlockCalls } from "../../engine/api/compact-block-calls.ts"
import type { NetworkCalls } from "../../engine/api/network-calls.ts"
import { nodeOf } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import type { BlockReader } from "../../storage/block-files/block-reader.ts"
import type { Random } from "../basics/environment.ts"
import { blockPlaces } from "./block-places.ts"
import { makeListeners } from "./listeners.ts"
import type { P2pChain, IntakeResult } from "./p2p-chain.ts"
import { mempoolReplica } from "./mempool-replica.ts"
import { headerIndexReplica } from "./header-index-replica.ts"

/** The calls that the network layer makes. */
export type P2pCallName =
  | keyof NetworkCalls
  | keyof CompactBlockCalls
  | Extract<keyof AcceptanceCalls, "acceptTransaction" | "acceptPackage" | "testTransaction">
  | Extract<
    keyof MempoolQueryCalls,
    "mempoolTransaction" | "mempoolTransactions" | "mempoolRelatives" | "mempoolIds" | "mempoolFacts"
  >
  | Extract<keyof MempoolRelayCalls, "followMempool" | "clearUnbroadcast" | "unbroadcast" | "inMiningOrder">

type CallOf<Names extends keyof EngineCalls> = <N extends Names>(
  name: N,
  params: EngineCalls[N]["in"]
) => Effect.Effect<EngineCalls[N]["out"], EngineCalls[N]["fails"] | EngineFailure>

/** Calls of an engine that has the index of block filters. */
export type FilterCall = CallOf<Extract<keyof IndexCalls, "blockFilters" | "filterHeaders">>

export interface P2pChainOptions {
  readonly chain: Pick<Chain["Service"], "subscribe" | "state"> & { readonly call: CallOf<P2pCallName> }
  /** `undefined` without an index of block filters. */
  readonly filters?: FilterCall | undefined
  readonly reader: Pick<BlockReader, "unjudgedBytes">
  readonly crypto: Crypto
  readonly random: Pick<Random, "below">
  /** Receives exceptions of the chain's listeners. */
  readonly onDefect: (defect: unknown) => void
}

/** Pause after a refusal of the engine, for example for lack of disk space. Peers wait meanwhile. */
const PAUSE = Duration.seconds(1)

/** Returns bytes that may be transferred: all of a buffer without another user. */
const owned = (bytes: Uint8Array): Uint8Array =>
  bytes.length === bytes.buffer.byteLength && !Buffer.isBuffer(bytes) ? bytes : Uint8Array.from(bytes)

/**
 * Returns the result of a call. Waits forever if the engine is gone. Returns `refused` if the engine refuses the call,
 * after a pause for a fault.
 */
const orWait = <A>(
  call: Effect.Effect<A, EngineFault | EngineFailure | QueryError<"Undecodable" | "IndexNotEnabled">>,
  refused: A
): Effect.Effect<A> =>
  Effect.catch(call, (failure) => {
    switch (failure._tag) {
      case "EngineFailure":
        return Effect.never
      case "Undecodable":
      case "IndexNotEnabled":
        return Effect.succeed(refused)
      default:
        return Effect.as(Effect.sleep(PAUSE), refused)
    }
  })

/**
 * Copies the header index and the mempool, and keeps them up to date until the scope ends. Precondition: the engine has
 * started.
 */
export const makeP2pChain = Effect.fn("p2p.makeChain")(function*(
  { chain, crypto, filters, onDefect, random, reader }: P2pChainOptions
): Effect.fn.Return<P2pChain, EngineFault | EngineFailure, Scope.Scope> {
  const { call, subscribe } = chain
  const copy = headerIndexReplica()
  const pool = mempoolReplica(random.below(2 ** 32))
  let poolRate = 0
  const listeners = makeListeners(onDefect)
  /** Notifications that arrive before the copy is complete; `undefined` once it is. */
  let early: Array<EngineNotification> | undefined = []
  let reportedTip: HeaderIndexNode | undefined
  /** Reason for the engine's end, past or imminent. */
  let fatal: string | undefined

  const notifyTip = (hash: Uint8Array, initialBlockDownload: boolean): void => {
    const tip = nodeOf(copy.tree(), hash)
    const before = reportedTip
    reportedTip = tip ?? before
    if (tip === undefined || before === undefined || tip === before) return
    listeners.notify("tip", tip, lastCommonAncestor(before, tip) as HeaderIndexNode, initialBlockDownload)
  }

  const removed = (txid: Uint8Array, reason: string): void => {
    const transaction = pool.remove(txid)
    if (transaction !== undefined) listeners.notify("transactionRemoved", transaction, reason)
  }

  const take = (notification: EngineNotification): void => {
    switch (notification._tag) {
      case "Tree":
        return copy.take(notification.update)
      case "State":
        return notifyTip(notification.state.hash, notification.state.initialBlockDownload)
      case "Fatal":
        fatal = notification.message
        return
      case "Judged":
        return listeners.notify("judged", copy.tree().nodes[notification.index]!, notification.rejection)
      case "NewBlock": {
        const node = copy.tree().nodes[notification.index]!
        places.note(node, notification.place)
        return listeners.notify("newBlock", node, notification.contents)
      }
      case "TransactionAdded":
        pool.add(notification.transaction)
        return listeners.notify("transactionAdded", notification.transaction, notification.isNew)
      case "PoolRate":
        poolRate = notification.rate
        return undefined
      case "Confirmed":
        return listeners.notify("confirmed", notification.transactions)
      case "TransactionRemoved":
        return removed(notification.txid, notification.reason)
    }
  }

  yield* acquireRelease(
    Effect.sync(() =>
      subscribe((notification) => {
        if (early === undefined) take(notification)
        else early.push(notification)
      })
    ),
    (stop) => Effect.sync(stop)
  )
  for (let from = 0, isLast = false; !isLast; from = copy.tree().nodes.length) {
    const slice = yield* call("followTree", { from })
    isLast = slice.isLast
    copy.takeSlice(slice)
    yield* yieldToEventLoop
  }
  reportedTip = copy.tree().tip
  const places = blockPlaces(copy.tree(), (indexes) => orWait(call("blockPlaces", { indexes }), []))
  for (const transaction of yield* call("followMempool", undefined)) pool.add(transaction)
  for (const notification of early.splice(0)) take(notification)
  early = undefined
  const bytesAt = (node: HeaderIndexNode): Effect.Effect<Uint8Array | undefined> =>
    Effect.flatMap(places.of(node), (place) =>
      place === undefined
        ? Effect.succeed(undefined)
        : Effect.orElseSucceed(reader.unjudgedBytes(place, node.hash), () => undefined))

  return {
    tree: copy.tree(),
    state: () => {
      const state = chain.state()!
      return fatal === undefined ? state : { ...state, halted: fatal }
    },
    acceptHeaders: (headers) =>
      orWait(Effect.suspend(() => call("acceptHeaders", { headers: owned(headers) })), {
        accepted: 0,
        rejection: undefined
      }),
    acceptBlock: (bytes, requested) =>
      Effect.suspend(() => {
        const refused = {
          hash: crypto.sha256d(bytes.subarray(0, 80)),
          isNew: false,
          rejection: undefined,
          isRefused: true
        }
        return orWait<IntakeResult>(call("acceptBlock", { bytes: owned(bytes), requested }), refused)
      }),
    blocksConnected: orWait(call("blocksConnected", undefined), undefined),
    acceptTransaction: (bytes, origin) =>
      orWait(Effect.suspend(() => call("acceptTransaction", { bytes: owned(bytes), origin })), undefined),
    testTransaction: (bytes) =>
      orWait(Effect.suspend(() => call("testTransaction", { bytes: owned(bytes) })), undefined),
    beginCompactBlock: (id, payload) =>
      orWait(Effect.suspend(() => call("beginCompactBlock", { id, payload: owned(payload) })), undefined),
    fillCompactBlock: (id, payload) =>
      orWait(Effect.suspend(() => call("fillCompactBlock", { id, payload: payload && owned(payload) })), undefined),
    dropCompactBlock: (id) => orWait(call("dropCompactBlock", { id }), undefined),
    acceptPackage: (transactions, shape) =>
      orWait(Effect.suspend(() => call("acceptPackage", { transactions: transactions.map(owned), shape })), undefined),
    blockBytes: (node) =>
      Effect.gen(function*() {
        const first = yield* bytesAt(node)
        if (first !== undefined) return first
        // It may have been removed and fetched again since the engine reported its position.
        places.forget(node)
        // The block was pruned or is damaged. Damage is reported when the chain is verified.
        return yield* bytesAt(node)
      }),
    ...filters && {
      blockFilters: (range) => orWait(filters("blockFilters", range), undefined),
      filterHeaders: (blocks) => orWait(filters("filterHeaders", blocks), undefined)
    },
    listen: listeners.add,
    mempool: pool,
    mempoolTransaction: (kind, id) => orWait(call("mempoolTransaction", { kind, id }), undefined),
    mempoolTransactions: (kind, ids) => orWait(call("mempoolTransactions", { kind, ids }), []),
    mempoolAncestors: (txid) =>
      orWait(
        Effect.map(call("mempoolRelatives", { txid, which: "ancestors" }), (all) =>
          all?.toSorted((a, b) => a.ancestors.count - b.ancestors.count).map(({ wtxid }) => wtxid)),
        undefined
      ),
    inMiningOrder: (wtxids) => orWait(call("inMiningOrder", { wtxids }), undefined),
    mempoolIds: orWait(Effect.map(call("mempoolIds", undefined), ({ txids }) => txids), undefined),
    unbroadcast: orWait(call("unbroadcast", undefined), []),
    fetched: (txid) =>
      Effect.suspend(() => pool.fetch(txid) ? orWait(call("clearUnbroadcast", { txid }), undefined) : Effect.void),
    poolRate: () => poolRate,
    refreshPoolRate: orWait(
      Effect.map(call("mempoolFacts", undefined), ({ rollingMinimum }) => {
        poolRate = rollingMinimum
      }),
      undefined
    )
  }
})
