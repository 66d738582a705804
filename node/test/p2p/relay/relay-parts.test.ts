import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { bloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import type { P2pContext } from "../../../src/p2p/p2p-context.ts"
import type { MempoolView, P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import { announceAll } from "../../../src/p2p/relay/announcements.ts"
import { announcementTurns } from "../../../src/p2p/relay/announcement-turns.ts"
import { announceFiltered } from "../../../src/p2p/relay/match-pool.ts"
import { newestBlock } from "../../../src/p2p/relay/newest-block.ts"
import { type PeerRelay, peerRelay } from "../../../src/p2p/relay/peer-relay.ts"
import { recentlyConfirmed } from "../../../src/p2p/relay/recently-confirmed.ts"
import { parentTxids, scanTransaction, spendsFrom, transactionsIn } from "../../../src/p2p/relay/scan-transaction.ts"
import { seenTransactions } from "../../../src/p2p/relay/already-have-tx.ts"
import { hashKey } from "../../../src/p2p/sync/hash-key.ts"
import { seededRandom } from "../../../src/p2p/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { idOf, madeOrphan } from "./made-orphan.ts"
import { bareTransaction, spendingTransaction, unconfirmedTransaction } from "./pool-transaction.ts"

const { TX, WTX } = InventoryType
const at = unixMilliseconds

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

describe("turns of announcements", () => {
  const made = Effect.fnUntraced(function*() {
    const draws: Array<number> = []
    const context = {
      chain: { mempool: { sequence: () => 9 } },
      environment: {
        random: {
          exponential: (mean: number) => {
            draws.push(mean)
            return 10 * draws.length
          }
        }
      }
    }
    const turns = yield* announcementTurns(context as unknown as P2pContext, new Map())
    const add = (kind: "inbound" | "outbound-full-relay", local?: string, first = 10) => {
      const peer = scriptedPeer(1, kind, undefined, 0, first)
      Object.assign(peer, { local: local === undefined ? undefined : endpoint(local) })
      const to = peerRelay(peer, true, false, seededRandom(1))
      turns.begin(to, at(0))
      return to
    }
    return { add, draws, turns }
  })

  it.effect("come at one time to inbound peers of one endpoint and network, to others at their own", () =>
    Effect.gen(function*() {
      const { add, draws, turns } = yield* made()
      const peers = [
        add("inbound"),
        add("inbound"),
        add("inbound", "1.1.1.1:1"),
        add("inbound", "1.1.1.1:1"),
        add("inbound", "1.1.1.1:2"),
        add("outbound-full-relay"),
        add("outbound-full-relay")
      ]
      assert.deepStrictEqual(peers.map(({ nextTrickle }) => nextTrickle), [10, 10, 20, 20, 30, 40, 50])
      assert.deepStrictEqual(draws, [5_000, 5_000, 5_000, 2_000, 2_000])
      assert.deepStrictEqual(new Set(peers.map(({ poolSequence }) => poolSequence)), new Set([9]))
      const [first, second] = [peers[0]!, peers[1]!]
      first.poolSequence = 1
      turns.tick(first, at(9))
      assert.deepStrictEqual([first.nextTrickle, first.poolSequence], [10, 1])
      turns.tick(first, at(10))
      turns.tick(second, at(11))
      assert.deepStrictEqual([first.nextTrickle, second.nextTrickle, first.poolSequence], [70, 70, 9])
    }))

  it.effect("are not for a peer that may get no transactions, or whose last one is not over", () =>
    Effect.gen(function*() {
      const { add, turns } = yield* made()
      for (const more of [{ mayReceiveTransactions: false }, { isAnnouncing: true }]) {
        const to = add("outbound-full-relay")
        Object.assign(to, more)
        const { nextTrickle } = to
        turns.tick(to, at(1_000))
        assert.strictEqual(to.nextTrickle, nextTrickle)
      }
    }))
})

describe("a turn of announcements", () => {
  const entry = (value: number) => ({
    txid: idOf(value, 1),
    wtxid: idOf(value, 2),
    fee: 9n,
    virtualSize: 1,
    sequence: 1
  })
  const made = Effect.fnUntraced(function*(order: Effect.Effect<ReadonlyArray<Uint8Array> | undefined>) {
    let sequence = 20
    const asked: Array<number> = []
    const all = new Map<number, PeerRelay>()
    const context = {
      chain: {
        mempool: {
          sequence: () => sequence++,
          find: (_: string, id: Uint8Array) =>
            [1, 2, 3].map(entry).find(({ txid, wtxid }) => [txid, wtxid].some((each) => hashKey(each) === hashKey(id)))
        },
        inMiningOrder: (wtxids: ReadonlyArray<Uint8Array>) => {
          asked.push(wtxids.length)
          return order
        },
        mempoolIds: Effect.sync(() => {
          asked.push(-1)
          return concatBytes([idOf(3, 1), idOf(1, 1)])
        })
      },
      environment: { random: { exponential: () => 1_000 } }
    }
    const turns = yield* announcementTurns(context as unknown as P2pContext, all)
    const add = (...waiting: ReadonlyArray<number>) => {
      const peer = scriptedPeer(all.size + 1, "outbound-full-relay")
      const to = peerRelay(peer, true, false, seededRandom(1))
      for (const value of waiting) to.waiting.add(hashKey(idOf(value, 2)))
      all.set(peer.id, to)
      const received = () =>
        peer.sent.map((message) => message.command === "inv" ? message.inventory.map(({ hash }) => hash[3]) : [])
      return { received, peer, to }
    }
    return { add, asked, turns }
  })
  const settle = Effect.promise(async () => {
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
  })
  const ordered = Effect.as(Effect.yieldNow, [idOf(2, 2), idOf(1, 2)])

  it.effect("asks the engine once for all peers that are due, and only for what one of them waits for", () =>
    Effect.gen(function*() {
      const { add, asked, turns } = yield* made(ordered)
      const [one, other, later, idle] = [add(1, 2), add(2), add(1), add()]
      later.to.nextTrickle = 101
      turns.tickAll(at(100))
      assert.deepStrictEqual([one, other, later, idle].map(({ to }) => to.isAnnouncing), [true, true, false, false])
      assert.deepStrictEqual([one, other, idle].map(({ peer }) => peer.announcements.isSettled()), [false, false, true])
      assert.strictEqual(idle.to.poolSequence, 22)
      yield* settle
      assert.deepStrictEqual(asked, [2])
      assert.deepStrictEqual([one, other, later, idle].map(({ received }) => received()), [[[2, 1]], [[2]], [], []])
      assert.deepStrictEqual([one, other].map(({ to }) => [to.isAnnouncing, to.poolSequence]), [[false, 20], [
        false,
        21
      ]])
      assert.isTrue(one.peer.announcements.isSettled())
    }))

  it.effect("announces the mempool to who asked for it, once, and asks for no order where nothing waits", () =>
    Effect.gen(function*() {
      const { add, asked, turns } = yield* made(ordered)
      const [one, other] = [add(), add(2)]
      one.to.wantsPool = true
      turns.tick(one.to, at(100))
      yield* settle
      assert.deepStrictEqual([asked, one.received(), one.to.wantsPool], [[-1], [[3, 1]], false])
      one.to.wantsPool = true
      turns.tickAll(at(9_000))
      yield* settle
      assert.deepStrictEqual([asked, other.received(), one.received().length], [[-1, 1, -1], [[2]], 2])
    }))

  it.effect("lets the peer's messages go on where the engine refuses, or where the work ends badly", () =>
    Effect.gen(function*() {
      const refused = yield* made(Effect.succeed(undefined))
      const one = refused.add(1)
      refused.turns.tickAll(at(100))
      yield* settle
      assert.deepStrictEqual([one.received(), one.to.isAnnouncing, one.peer.announcements.isSettled()], [
        [],
        false,
        true
      ])
      const defect = yield* made(Effect.die("a defect"))
      const other = defect.add(1)
      defect.turns.tickAll(at(100))
      yield* settle
      assert.isTrue(other.peer.announcements.isSettled())
    }))

  it.effect("comes early to a peer that an operator trusts", () =>
    Effect.gen(function*() {
      const { add, turns } = yield* made(ordered)
      const { received, peer, to } = add(1)
      Object.assign(peer, { isTrusted: true })
      to.nextTrickle = 1_000
      turns.tick(to, at(1))
      yield* settle
      assert.deepStrictEqual(received(), [[1]])
    }))
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

describe("a transaction that is scanned", () => {
  const [a, b] = [idOf(2, 7), idOf(1, 7)]
  const bytes = spendingTransaction(1, [{ txid: a, vout: 0 }, { txid: b, vout: 3 }, { txid: a, vout: 1 }])

  it("has its weight, its ids and the number of its parts", () => {
    const whole = scanTransaction(bytes, testCrypto)!
    // Marker, flag and five bytes of witnesses count once, the rest four times.
    assert.deepStrictEqual([whole.weight, whole.inputs, whole.outputs], [4 * (bytes.length - 7) + 7, 3, 1])
    const bare = bareTransaction(1)
    const { hasWitness, txid, weight, wtxid } = scanTransaction(bare, testCrypto)!
    assert.deepStrictEqual([hasWitness, weight, txid], [false, 4 * bare.length, wtxid])
    assert.deepStrictEqual(txid, testCrypto.sha256d(bare))
    assert.deepStrictEqual(scanTransaction(unconfirmedTransaction(1), testCrypto)!.txid, txid)
  })

  it("has its parents each once, in raw order", () => {
    const scanned = scanTransaction(bytes, testCrypto)!
    assert.deepStrictEqual(parentTxids(scanned), [b, a])
    assert.deepStrictEqual([a, b, idOf(3, 7)].map((txid) => spendsFrom(scanned, txid)), [true, true, false])
  })

  it("is none where it ends too early", () => {
    const bare = bareTransaction(1)
    assert.isUndefined(scanTransaction(bare.subarray(0, -1), testCrypto))
    assert.isUndefined(scanTransaction(new Uint8Array(9), testCrypto))
    assert.isDefined(scanTransaction(new Uint8Array(10), testCrypto))
  })

  it("is cut out of a block, with and without witnesses", () => {
    // The first byte behind the number of inputs is the 1 that stands behind the marker elsewhere.
    const likeFlag = bareTransaction(4, new Uint8Array(32).fill(1))
    const all = [bareTransaction(1), bytes, unconfirmedTransaction(2), likeFlag, bareTransaction(3)]
    const block = concatBytes([new Uint8Array(80), Uint8Array.of(all.length), ...all])
    assert.deepStrictEqual(transactionsIn(block), all)
  })
})
