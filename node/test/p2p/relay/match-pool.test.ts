import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { addToFilter, bloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import * as Effect from "effect/Effect"
import type { IdKind, MempoolTransaction, P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import { announceFiltered } from "../../../src/p2p/relay/match-pool.ts"
import { type PeerRelay, peerRelay } from "../../../src/p2p/relay/peer-relay.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { hexOf } from "../../../src/hex.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { pooled, unconfirmedTransaction } from "./pool-transaction.ts"

const numbered = (count: number): ReadonlyArray<MempoolTransaction> =>
  Array.from({ length: count }, (_, i) => pooled(unconfirmedTransaction(i + 1)))

interface World {
  /** Those of which only the ids are known any more when their bytes are fetched. */
  readonly leaving?: ReadonlyArray<MempoolTransaction>
  /** The engine gives no order. */
  readonly isClosing?: boolean
  readonly fetching?: () => void
}

/** A mempool of these transactions, and a peer whose bloom filter matches `wanted` by txid. */
const world = (
  all: ReadonlyArray<MempoolTransaction>,
  wanted: ReadonlyArray<MempoolTransaction>,
  { fetching = () => {}, isClosing = false, leaving = [] }: World = {}
) => {
  const filter = bloomFilter({ filter: new Uint8Array(4_096), hashFunctions: 5, tweak: 1, flags: 0 })
  for (const { txid } of wanted) addToFilter(filter, txid)
  const peer = scriptedPeer(1, "inbound")
  const to: PeerRelay = peerRelay(peer, true, true, seededRandom(1))
  const fetched: Array<number> = []
  const ordered: Array<number> = []
  const find = (kind: IdKind, id: Uint8Array) => all.find((each) => hexOf(each[kind]) === hexOf(id))
  const pool = {
    mempool: { find },
    mempoolIds: Effect.succeed(concatBytes(all.map(({ txid }) => txid))),
    inMiningOrder: (wtxids: ReadonlyArray<Uint8Array>) =>
      Effect.sync(() => {
        ordered.push(wtxids.length)
        return isClosing ? undefined : [...wtxids].toReversed()
      }),
    mempoolTransactions: (kind: IdKind, ids: ReadonlyArray<Uint8Array>) =>
      Effect.sync(() => {
        fetched.push(ids.length)
        fetching()
        return ids.map((id) => find(kind, id)).map((each) => leaving.includes(each!) ? undefined : each)
      })
  } as unknown as P2pChain
  const wait = (...transactions: ReadonlyArray<MempoolTransaction>) => {
    for (const { wtxid } of transactions) to.waiting.add(hashKey(wtxid))
  }
  /** The numbers of the transactions that the peer receives announcements of, by message. */
  const announced = () =>
    peer.sent.splice(0).map((message) =>
      message.command === "inv"
        ? message.inventory.map(({ hash }) => all.findIndex(({ wtxid }) => hexOf(wtxid) === hexOf(hash)))
        : []
    )
  return { announce: announceFiltered(pool, to, filter), announced, fetched, ordered, peer, to, wait }
}

describe("a peer with a bloom filter that asked for the mempool", () => {
  it.effect("gets announcements of what matches and pays, once, in mining order", () =>
    Effect.gen(function*() {
      const all = [...numbered(4), pooled(unconfirmedTransaction(9), 1n)]
      const { announce, announced, fetched, ordered, to } = world(all, [all[3]!, all[1]!, all[4]!])
      to.wantsPool = true
      to.sendAbove = 100n
      yield* announce
      assert.deepStrictEqual([announced(), to.wantsPool], [[[1, 3]], false])
      assert.deepStrictEqual([fetched, ordered], [[4], []], "what pays too little is not fetched")
      yield* announce
      assert.deepStrictEqual([announced(), fetched], [[], [4]])
    }))

  it.effect("gets them as well where all of the mempool is more than one batch", () =>
    Effect.gen(function*() {
      const all = numbered(101)
      const { announce, announced, fetched, to } = world(all, [all[0]!, all[50]!, all[100]!])
      to.wantsPool = true
      yield* announce
      assert.deepStrictEqual([announced(), fetched], [[[0, 50, 100]], [50, 50, 1]])
    }))
})

describe("what waits for a peer with a bloom filter", () => {
  it.effect("is announced where it matches, and does not wait any more", () =>
    Effect.gen(function*() {
      const all = numbered(3)
      const { announce, announced, fetched, ordered, to, wait } = world(all, [all[0]!, all[2]!])
      wait(...all)
      yield* announce
      assert.deepStrictEqual([announced(), to.waiting.size], [[[2, 0]], 0])
      assert.deepStrictEqual([ordered, fetched], [[3], [3]])
    }))

  it.effect("is not fetched where all of it pays too little", () =>
    Effect.gen(function*() {
      const all = numbered(2)
      const { announce, announced, fetched, to, wait } = world(all, all)
      to.sendAbove = 1_000_000n
      wait(...all)
      yield* announce
      assert.deepStrictEqual([announced(), fetched, to.waiting.size], [[], [], 0])
    }))

  it.effect("waits on where the engine gives no order", () =>
    Effect.gen(function*() {
      const all = numbered(2)
      const { announce, announced, fetched, to, wait } = world(all, all, { isClosing: true })
      wait(...all)
      yield* announce
      assert.deepStrictEqual([announced(), fetched, to.waiting.size], [[], [], 2])
    }))

  it.effect("is not announced where it leaves the mempool before it is fetched", () =>
    Effect.gen(function*() {
      const all = numbered(2)
      const { announce, announced, to, wait } = world(all, all, { leaving: [all[1]!] })
      wait(...all)
      yield* announce
      assert.deepStrictEqual([announced(), to.waiting.size], [[[0]], 0])
    }))

  it.effect("is looked at until 70 of it match, and the rest waits on", () =>
    Effect.gen(function*() {
      const all = numbered(130)
      const { announce, announced, fetched, to, wait } = world(all, all)
      wait(...all)
      yield* announce
      assert.deepStrictEqual([announced()[0]!.length, fetched, to.waiting.size], [70, [50, 50], 60])
      yield* announce
      assert.deepStrictEqual([announced()[0]!.length, fetched.slice(2), to.waiting.size], [60, [50, 10], 0])
    }))

  it.effect("is not fetched any more once 70 of it match, at the end of a batch too", () =>
    Effect.gen(function*() {
      const all = numbered(130)
      // Of the first batch, in mining order the last fifty, thirty match not: the second batch brings the number to 70.
      const { announce, announced, fetched, to, wait } = world(all, [...all.slice(0, 80), ...all.slice(110)])
      wait(...all)
      yield* announce
      assert.deepStrictEqual([announced()[0]!.length, fetched, to.waiting.size], [70, [50, 50], 30])
    }))

  it.effect("is not looked at any more once the peer is gone", () =>
    Effect.gen(function*() {
      const all = numbered(60)
      const { announce, fetched, peer, wait } = world(all, [], { fetching: () => void (peer.isGone = true) })
      wait(...all)
      yield* announce
      assert.deepStrictEqual(fetched, [50])
    }))
})
