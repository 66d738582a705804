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

/** `[dandelion]`, where it is on. */
export interface DandelionSettings {
  /** Milliseconds of an embargo, in the mean. */
  readonly meanEmbargo: number
  /** Of fluffing the stem transactions of others during an epoch. */
  readonly fluffProbability: number
}

/** Dandelion++: transactions of the mempool that peers are not to know of yet. */
export interface StemRelay {
  /** The mempool without the transactions that are on a stem: what peers may learn of. */
  readonly mempool: MempoolView
  /** A peer sent a stem transaction, which is about to be judged. */
  readonly expect: (wtxid: Uint8Array, from: number) => void
  /** It was judged. */
  readonly judged: (wtxid: Uint8Array) => void
  /** A transaction entered the mempool. `isOurs`: no peer announced it. Answers whether it is on a stem now. */
  readonly takes: (transaction: PooledTransaction, isOurs: boolean) => boolean
  readonly isStem: (wtxid: Uint8Array) => boolean
  /** Whether it was on a stem, so that its age does not say that peers know of it. */
  readonly wasStem: (wtxid: Uint8Array) => boolean
  /** A peer sent it in the open. */
  readonly seen: (wtxid: Uint8Array) => void
  /** Fluffs what is due. */
  readonly tickAll: () => void
  readonly removed: (transaction: PooledTransaction) => void
  readonly gone: (peer: number) => void
  /** `stems`: how many are on a stem now. */
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

/** Sends stem transactions. `sent` receives the parents of one that is about to be sent; false: it is not to be. */
const stemSender = (
  { chain, crypto }: P2pContext,
  { advanced }: StemReports,
  sent: (key: string, parents: ReadonlyArray<Uint8Array>) => boolean
) =>
  Effect.fnUntraced(function*(to: Peer, transaction: PooledTransaction) {
    const { wtxid } = transaction
    // The embargo fluffs what cannot be sent.
    const found = yield* chain.mempoolTransaction("wtxid", wtxid)
    const scanned = found === undefined ? undefined : scanTransaction(found.bytes, crypto)
    const decoded = found === undefined ? undefined : decodeTransaction(found.bytes)
    if (scanned === undefined || decoded === undefined || Result.isFailure(decoded)) return
    if (!sent(hashKey(wtxid), parentTxids(scanned)) || to.isGone) return
    to.send({ command: "dandeliontx", transaction: decoded.success })
    advanced(transaction, to.name)
  })

/** Ends with the scope. */
export const stemRelay = Effect.fnUntraced(function*(
  { context, fluff, peers, settings }: StemRelayOptions
): Effect.fn.Return<StemRelay, never, Scope.Scope> {
  const { chain, environment: { random } } = context
  // A clock that an operator stops does not stop the fail-safe.
  const clock = machineClock(context.environment)
  const fork = yield* FiberSet.makeRuntime()
  const graph = stemGraph(random, settings.fluffProbability)
  const stems = stemPool(random, settings.meanEmbargo)
  /** Who sent those that are being judged. */
  const expected = new Map<string, number>()
  /** Fluffed, and still in the mempool. */
  const fluffed = new Set<string>()
  /** Txids of the parents of those on a stem, by wtxid. */
  const parents = new Map<string, ReadonlyArray<Uint8Array>>()
  const reports = stemReports(context.notify)

  const transactionOf = (key: string): PooledTransaction | undefined => chain.mempool.find("wtxid", keyedHash(key))

  const forget = (key: string): void => {
    parents.delete(key)
    stems.remove(key)
  }

  /** Parents first: no peer accepts the child without them. */
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
      // A peer announced it: it is known already.
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
