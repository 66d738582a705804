import { decodeTransaction } from "@lockstep/kernel/model"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { IdKind, MempoolView, PooledTransaction } from "../../chain/p2p-chain.ts"
import { machineClock } from "../../basics/environment.ts"
import type { P2pContext } from "../../peer/p2p-context.ts"
import type { Peer } from "../../peer/peer.ts"
import type { PeerRelay } from "../peer-relay.ts"
import { parentTxids, scanTransaction } from "../scan-transaction.ts"
import { hashKey, keyedHash } from "../../basics/hash-key.ts"
import { stemGraph, type StemSource } from "./stem-graph.ts"
import { stemPool } from "./stem-pool.ts"
import { type DandelionFigures, type StemReports, stemReports } from "./stem-reports.ts"

/** The settings of `[dandelion]`, if enabled. */
export interface DandelionSettings {
  /** Mean duration of an embargo, in milliseconds. */
  readonly meanEmbargo: number
  /** Probability of fluffing the stem transactions of peers during an epoch. */
  readonly fluffProbability: number
}

/** Relays stem transactions (Dandelion++): transactions of the mempool that must not be revealed to other peers yet. */
export interface StemRelay {
  /** The mempool without the transactions on a stem, as peers may see it. */
  readonly mempool: MempoolView
  /** Records that a peer sent a stem transaction, which is about to be validated. */
  readonly expect: (wtxid: Uint8Array, from: number) => void
  /** Ends that record once the transaction was validated. */
  readonly judged: (wtxid: Uint8Array) => void
  /**
   * Processes a transaction that entered the mempool. `isOurs` means that no peer announced it. Returns true if it is
   * on a stem now.
   */
  readonly takes: (transaction: PooledTransaction, isOurs: boolean) => boolean
  readonly isStem: (wtxid: Uint8Array) => boolean
  /** True if it was on a stem, so that its age does not imply that peers know it. */
  readonly wasStem: (wtxid: Uint8Array) => boolean
  /** Records that a peer sent the transaction openly. */
  readonly seen: (wtxid: Uint8Array) => void
  /** Fluffs the transactions that are due. */
  readonly tickAll: () => void
  readonly removed: (transaction: PooledTransaction) => void
  readonly gone: (peer: number) => void
  /** Returns the counts; `stems` is the current number of transactions on a stem. */
  readonly figures: () => DandelionFigures & { readonly stems: number }
}

export interface StemRelayOptions {
  readonly context: P2pContext
  readonly settings: DandelionSettings
  readonly peers: ReadonlyMap<number, PeerRelay>
  /** Announces a transaction to all peers. */
  readonly fluff: (transaction: PooledTransaction) => void
}

const mayTakeStems = ({ peer, receivesTransactions }: PeerRelay): boolean =>
  !peer.inbound && !peer.isGone && receivesTransactions && peer.hello !== undefined &&
  offers(peer.hello.services, ServiceFlag.DANDELION)

const candidatesOf = (peers: ReadonlyMap<number, PeerRelay>): ReadonlyArray<number> =>
  [...peers.values()].flatMap((to) => mayTakeStems(to) ? [to.peer.id] : [])

const withoutStems = (mempool: MempoolView, isStem: (wtxid: Uint8Array) => boolean): MempoolView => {
  const find = (kind: IdKind, id: Uint8Array): PooledTransaction | undefined => {
    const found = mempool.find(kind, id)
    return found === undefined || isStem(found.wtxid) ? undefined : found
  }
  return { size: mempool.size, sequence: mempool.sequence, find, has: (kind, id) => find(kind, id) !== undefined }
}

/**
 * Makes the sender of stem transactions. `sent` receives the parents of a transaction before it is sent, and returns
 * false to cancel that.
 */
const stemSender = (
  { chain, crypto }: P2pContext,
  { advanced }: StemReports,
  sent: (key: string, parents: ReadonlyArray<Uint8Array>) => boolean
) =>
  Effect.fnUntraced(function*(to: Peer, transaction: PooledTransaction) {
    const { wtxid } = transaction
    // A transaction that cannot be sent is fluffed when its embargo ends.
    const found = yield* chain.mempoolTransaction("wtxid", wtxid)
    const scanned = found === undefined ? undefined : scanTransaction(found.bytes, crypto)
    const decoded = found === undefined ? undefined : decodeTransaction(found.bytes)
    if (scanned === undefined || decoded === undefined || Result.isFailure(decoded)) return
    if (!sent(hashKey(wtxid), parentTxids(scanned)) || to.isGone) return
    to.send({ command: "dandeliontx", transaction: decoded.success })
    advanced(transaction, to.name)
  })

/** Makes the stem relay, which ends with the scope. */
export const stemRelay = Effect.fnUntraced(function*(
  { context, fluff, peers, settings }: StemRelayOptions
): Effect.fn.Return<StemRelay, never, Scope.Scope> {
  const { chain, environment: { random } } = context
  // The fail-safe continues even if an operator stops the node's clock.
  const clock = machineClock(context.environment)
  const fork = yield* FiberSet.makeRuntime()
  const graph = stemGraph(random, settings.fluffProbability)
  const stems = stemPool(random, settings.meanEmbargo)
  /** Senders of the transactions that are being validated. */
  const expected = new Map<string, number>()
  /** Transactions that were fluffed and are still in the mempool. */
  const fluffed = new Set<string>()
  /** Txids of the parents of stem transactions, by wtxid. */
  const parents = new Map<string, ReadonlyArray<Uint8Array>>()
  const reports = stemReports(context.notify)

  const transactionOf = (key: string): PooledTransaction | undefined => chain.mempool.find("wtxid", keyedHash(key))

  const forget = (key: string): void => {
    parents.delete(key)
    stems.remove(key)
  }

  /** Fluffs a transaction after its parents, as no peer accepts it without them. */
  const fluffWithParents = (key: string): void => {
    const before = parents.get(key) ?? []
    forget(key)
    const transaction = transactionOf(key)
    if (transaction === undefined) return
    for (const txid of before) {
      const parent = chain.mempool.find("txid", txid)
      if (parent !== undefined && stems.has(hashKey(parent.wtxid))) fluffWithParents(hashKey(parent.wtxid))
    }
    fluffed.add(key)
    reports.fluffed(transaction)
    fluff(transaction)
  }

  const send = stemSender(context, reports, (key, of) => {
    if (!stems.has(key)) return false
    parents.set(key, of)
    return true
  })

  const begin = (transaction: PooledTransaction, source: StemSource): boolean => {
    const now = clock()
    const next = graph.route(source, candidatesOf(peers), now)
    const to = next === undefined ? undefined : peers.get(next)
    if (to === undefined || !stems.add(hashKey(transaction.wtxid), now)) return false
    reports.began(transaction, source === "own", to.peer.name)
    fork(send(to.peer, transaction))
    return true
  }

  const isStem = (wtxid: Uint8Array): boolean => stems.has(hashKey(wtxid))

  return {
    mempool: withoutStems(chain.mempool, isStem),
    expect: (wtxid, from) => void expected.set(hashKey(wtxid), from),
    judged: (wtxid) => void expected.delete(hashKey(wtxid)),
    takes: (transaction, isOurs) => {
      const key = hashKey(transaction.wtxid)
      const from = expected.get(key)
      expected.delete(key)
      // A peer announced it, so it is known already.
      if (!isOurs) return false
      const isStemming = begin(transaction, from ?? "own")
      if (!isStemming) reports.atOnce(transaction, from === undefined)
      return isStemming
    },
    isStem,
    wasStem: (wtxid) => fluffed.has(hashKey(wtxid)),
    seen: (wtxid) => {
      if (isStem(wtxid)) fluffWithParents(hashKey(wtxid))
    },
    tickAll: () => {
      for (const key of stems.expired(clock())) {
        const transaction = transactionOf(key)
        if (transaction !== undefined) reports.expired(transaction)
        fluffWithParents(key)
      }
    },
    removed: ({ wtxid }) => {
      const key = hashKey(wtxid)
      forget(key)
      reports.gone(key)
      fluffed.delete(key)
    },
    gone: graph.gone,
    figures: () => ({ ...reports.figures, stems: stems.size() })
  }
})
