import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { bloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import type { MempoolView, P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import { announceAll } from "../../../src/p2p/relay/announcements.ts"
import { announceFiltered } from "../../../src/p2p/relay/match-pool.ts"
import { newestBlock } from "../../../src/p2p/relay/newest-block.ts"
import { type PeerRelay, peerRelay } from "../../../src/p2p/relay/peer-relay.ts"
import { recentlyConfirmed } from "../../../src/p2p/relay/recently-confirmed.ts"
import { seenTransactions } from "../../../src/p2p/relay/already-have-tx.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { idOf, madeOrphan } from "./made-orphan.ts"
import { bareTransaction, unconfirmedTransaction } from "./pool-transaction.ts"

const { TX, WTX } = InventoryType

describe("what is relayed over a connection", () => {
  const flags = (peer: Peer, wantsAny: boolean, offersFilters: boolean) => {
    const { getsFeeFilter, maySendTransactions, mayReceiveTransactions, receivesTransactions } = peerRelay(
      peer,
      wantsAny,
      offersFilters,
      seededRandom(1)
    )
    const all = { receivesTransactions, mayReceiveTransactions, maySendTransactions, getsFeeFilter }
    return Object.entries(all).flatMap(([name, holds]) => holds ? [name] : [])
  }
  const quiet = () => {
    const peer = scriptedPeer(1, "inbound")
    peer.hello!.relay = false
    return peer
  }
  it("has nothing waiting at first, and a time that is past", () => {
    const {
      filter,
      isAnnouncing,
      known,
      nextFeeFilter,
      nextTrickle,
      poolSequence,
      saidFeerate,
      sendAbove,
      waiting,
      wantsPool
    } = peerRelay(scriptedPeer(1, "inbound"), true, true, seededRandom(1))
    assert.deepStrictEqual([filter, saidFeerate, waiting.size, known.has(idOf(1, 1))], [undefined, undefined, 0, false])
    assert.deepStrictEqual([isAnnouncing, wantsPool], [false, false])
    assert.deepStrictEqual([nextFeeFilter, nextTrickle, poolSequence, sendAbove], [0, 0, 1, 0n])
  })

  const permitted = (permission: "relay" | "forcerelay") =>
    Object.assign(scriptedPeer(1, "inbound"), { permissions: new Set([permission]) })
  const [receives, may, sends, feeFilter] = [
    "receivesTransactions",
    "mayReceiveTransactions",
    "maySendTransactions",
    "getsFeeFilter"
  ]

  it("is transactions, unless it is for blocks or a feeler", () => {
    for (const kind of ["inbound", "outbound-full-relay", "manual", "addr-fetch"] as const) {
      assert.deepStrictEqual(flags(scriptedPeer(1, kind), true, false), [receives, may, sends, feeFilter])
    }
    for (const kind of ["block-relay-only", "feeler"] as const) {
      assert.deepStrictEqual(flags(scriptedPeer(1, kind), true, true), [])
    }
  })

  it("is less where one side wants none, and more by permission", () => {
    assert.deepStrictEqual(flags(quiet(), true, false), [sends, feeFilter])
    assert.deepStrictEqual(flags(quiet(), true, true), [may, sends, feeFilter])
    assert.deepStrictEqual(flags(scriptedPeer(1, "inbound"), false, false), [receives, may])
    assert.deepStrictEqual(flags(permitted("relay"), false, false), [receives, may, sends])
    assert.deepStrictEqual(flags(permitted("forcerelay"), true, false), [receives, may, sends])
  })
})

describe("announcements of a large mempool", () => {
  it("have 50,000 entries at most", () => {
    const peer = scriptedPeer(1, "inbound")
    const to = { peer, known: { add: () => undefined }, waiting: new Set(), sendAbove: 0n } as unknown as PeerRelay
    const transaction = { txid: idOf(1, 1), wtxid: idOf(1, 2), fee: 1n, virtualSize: 1, sequence: 1 }
    announceAll(to, new Uint8Array(50_001 * 32), { find: () => transaction } as unknown as MempoolView)
    const sizes = peer.sent.map((message) => message.command === "inv" ? message.inventory.length : 0)
    assert.deepStrictEqual(sizes, [50_000, 1])
  })
})

describe("what a peer with a bloom filter waits for", () => {
  it.effect("is fetched a million bytes at a time, the last transaction beyond it", () =>
    Effect.gen(function*() {
      const batches: Array<number> = []
      const to = peerRelay(scriptedPeer(1, "inbound"), true, true, seededRandom(1))
      const ids = [1, 2, 3, 4, 5].map((value) => idOf(value, 2))
      for (const id of ids) to.waiting.add(hashKey(id))
      const pool = {
        mempool: {
          find: (_: string, wtxid: Uint8Array) => ({ txid: wtxid, wtxid, fee: 1n, virtualSize: 500_000, sequence: 1 })
        },
        inMiningOrder: () => Effect.succeed(ids),
        mempoolTransactions: (_: string, all: ReadonlyArray<Uint8Array>) =>
          Effect.sync(() => {
            batches.push(all.length)
            return all.map((txid) => ({ txid, bytes: unconfirmedTransaction(1) }))
          })
      } as unknown as P2pChain
      const filter = bloomFilter({ filter: new Uint8Array(8), hashFunctions: 3, tweak: 0, flags: 0 })
      yield* announceFiltered(pool, to, filter)
      assert.deepStrictEqual([batches, to.waiting.size], [[2, 2, 1], 0])
    }))
})

describe("transactions of the newest block", () => {
  const ids = (...values: ReadonlyArray<number>) => ({
    txids: concatBytes(values.map((value) => idOf(value, 1))),
    wtxids: concatBytes(values.map((value) => idOf(value, 2))),
    spent: new Uint8Array(0)
  })
  const node = {} as HeaderIndexNode

  it.effect("are read once, when one is first requested, and none where the block cannot be read", () =>
    Effect.gen(function*() {
      let reads = 0
      const [first, second] = [unconfirmedTransaction(1), bareTransaction(2)]
      const block = concatBytes([new Uint8Array(80), Uint8Array.of(3), bareTransaction(9), first, second])
      let bytes: Uint8Array | undefined = block
      const blockBytes = () =>
        Effect.sync(() => {
          reads++
          return bytes
        })
      const newest = newestBlock({ blockBytes })
      const find = (hash: Uint8Array, type: number = TX) => newest.find({ hash, type })
      // No byte of the first number is like the one before.
      const one = 0x0102_0304
      newest.confirmed(ids(one, 2))
      newest.tipChanged(node)
      assert.isUndefined(yield* find(idOf(3, 1)))
      assert.strictEqual(reads, 0)
      assert.deepStrictEqual(yield* find(idOf(one, 1)), first)
      assert.deepStrictEqual(yield* find(idOf(2, 2), WTX), second)
      assert.isUndefined(yield* find(idOf(2, 2)))
      assert.strictEqual(reads, 1)
      newest.confirmed(ids(1))
      newest.tipChanged(node)
      bytes = undefined
      assert.isUndefined(yield* find(idOf(1, 1)))
      newest.tipChanged(node)
      assert.isUndefined(yield* find(idOf(1, 1)))
      assert.strictEqual(reads, 2)
    }))

  it("after a reorganization are those of its new blocks", () => {
    const confirmed = recentlyConfirmed(seededRandom(1))
    const known = () => [1, 2, 3].map((value) => confirmed.has(idOf(value, 1)) && confirmed.has(idOf(value, 2)))
    confirmed.add(ids(1))
    confirmed.tipChanged(false)
    assert.deepStrictEqual(known(), [true, false, false])
    confirmed.add(ids(2))
    confirmed.add(ids(3))
    confirmed.tipChanged(true)
    assert.deepStrictEqual(known(), [false, true, true])
    confirmed.tipChanged(true)
    assert.deepStrictEqual(known(), [false, false, false])
    // A block on top of the last one forgets nothing.
    for (const value of [1, 2]) {
      confirmed.add(ids(value))
      confirmed.tipChanged(false)
    }
    assert.deepStrictEqual(known(), [true, true, false])
  })
})

describe("what need not be requested", () => {
  it("is here, or was confirmed or rejected; what pays too little only where it was announced", () => {
    const pooled = { txid: hashKey(idOf(1, 1)), wtxid: hashKey(idOf(1, 2)) }
    const mempool = { has: (kind: "txid" | "wtxid", hash: Uint8Array) => hashKey(hash) === pooled[kind] }
    const context = { chain: { mempool }, environment: { random: seededRandom(1) } } as unknown as P2pContext
    const { confirmed, alreadyHaveTx, isUnwanted, orphans, reconsiderable, rejects } = seenTransactions(context)
    const shown = (
      hash: Uint8Array,
      isWtxid: boolean
    ) => [alreadyHaveTx({ hash, isWtxid }), isUnwanted({ hash, isWtxid })]
    assert.deepStrictEqual([shown(idOf(1, 1), false), shown(idOf(1, 2), true)], [[true, true], [true, true]])
    assert.deepStrictEqual([shown(idOf(1, 2), false), shown(idOf(1, 1), true)], [[false, false], [false, false]])
    orphans.add(madeOrphan(2), 1)
    assert.deepStrictEqual(shown(idOf(2, 2), true), [true, true])
    rejects.add(idOf(3, 2))
    assert.deepStrictEqual(shown(idOf(3, 2), true), [true, true])
    confirmed.add({ txids: idOf(4, 1), wtxids: idOf(4, 2), spent: new Uint8Array(0) })
    assert.deepStrictEqual([shown(idOf(4, 1), false), shown(idOf(4, 2), true)], [[true, true], [true, true]])
    reconsiderable.add(idOf(5, 2))
    assert.deepStrictEqual(shown(idOf(5, 2), true), [false, true])
  })
})
