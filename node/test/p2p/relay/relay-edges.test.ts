import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { blockAnnouncePreferences } from "../../../src/p2p/relay/block-announce-preferences.ts"
import { orphanKeeper, type OrphanKeeperOptions } from "../../../src/p2p/relay/keep-orphan.ts"
import type { SeenTransactions } from "../../../src/p2p/relay/already-have-tx.ts"
import { orphanage } from "../../../src/p2p/relay/orphanage/orphanage.ts"
import { txRequestTracker } from "../../../src/p2p/relay/tx-request-tracker.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { settle } from "../peer/scripted-peer.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { idOf, madeOrphan, outpointOf } from "./made-orphan.ts"
import { pooled, unconfirmedTransaction } from "./pool-transaction.ts"
import { makeNode, peerOf } from "./relay-node.ts"

const { WITNESS_BLOCK, WTX } = InventoryType

describe("messages at their limits", () => {
  it.effect("of notfound 5,016 entries are looked at, more are not", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const inventory = (count: number, first: number) =>
        Array.from({ length: count }, () => ({ type: WITNESS_BLOCK, hash: new Uint8Array(32).fill(first) }))
      peer.say({ command: "notfound", inventory: inventory(5_017, 1) }, { command: "notfound", inventory: [] })
      peer.say({ command: "notfound", inventory: inventory(5_016, 2) })
      yield* settle
      assert.deepStrictEqual([node.blocks.length, new Set(node.blocks)], [5_016, new Set(["missing 2"])])
    }))

  it.effect("a fee filter is between nothing and all there is", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const filterAfter = Effect.fnUntraced(function*(feerate: bigint) {
        peer.say({ command: "feefilter", feerate })
        yield* settle
        return node.relay.figures(node.peers.get(0)!).leastFeerate
      })
      assert.strictEqual(yield* filterAfter(2_100_000_000_000_000n), 2_100_000_000_000_000n)
      assert.strictEqual(yield* filterAfter(2_100_000_000_000_001n), 2_100_000_000_000_000n)
      assert.strictEqual(yield* filterAfter(0n), 0n)
      assert.strictEqual(yield* filterAfter(-1n), 0n)
    }))

  it.effect("a transaction of 400,000 weight units is judged, a heavier one is not", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const least = pooled(unconfirmedTransaction(1, undefined, 65_536))
      const weightOf = (witness: number) => 4 * (least.bytes.length - 65_536 - 8) + 8 + witness
      const most = 400_000 - weightOf(0)
      node.chain.judge(() => ({ _tag: "Refused", reason: "dust" }))
      peer.sayPayload("tx", unconfirmedTransaction(1, undefined, most + 1))
      yield* settle
      assert.lengthOf(node.chain.judged, 0)
      peer.sayPayload("tx", unconfirmedTransaction(1, undefined, most))
      yield* settle
      assert.lengthOf(node.chain.judged, 1)
    }))

  it.effect("the last transaction of a peer is one that entered the mempool", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const last = () => node.peers.get(0)!.traffic.lastTransaction
      node.chain.judge(() => ({ _tag: "Refused", reason: "dust" }))
      peer.sayPayload("tx", unconfirmedTransaction(1))
      yield* settle
      assert.strictEqual(last(), 0)
      node.chain.judge(() => ({ _tag: "Accepted" }))
      peer.sayPayload("tx", unconfirmedTransaction(2))
      yield* settle
      assert.strictEqual(last(), node.clock.now)
    }))

  it.effect("of a peer that is gone nothing is known", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      peer.say({ command: "inv", inventory: [{ type: WTX, hash: new Uint8Array(32).fill(7) }] })
      yield* settle
      const live = node.peers.get(0)!
      assert.deepStrictEqual([node.relay.relaysTo(live), node.relay.sizes().announcements], [true, 1])
      assert.isTrue(node.relay.figures(live).isAnnouncedTo)
      peer.hangUp()
      yield* settle
      assert.deepStrictEqual([node.relay.relaysTo(live), node.relay.sizes().announcements], [false, 0])
      assert.deepStrictEqual(node.relay.figures(live), {
        isAnnouncedTo: false,
        announcedSequence: 0,
        waiting: 0,
        leastFeerate: 0n,
        isFiltered: false
      })
    }))
})

describe("an orphan that is kept", () => {
  const parents = [1, 2].map((value) => idOf(value, 9))
  const child = madeOrphan(50, { spends: parents.map((txid) => outpointOf(txid)) })
  const set = () => {
    const held = new Set<string>()
    return {
      has: (hash: Uint8Array) => held.has(hashKey(hash)),
      add: (hash: Uint8Array) => void held.add(hashKey(hash)),
      clear: () => held.clear()
    }
  }

  const made = (refusing: ReadonlyArray<number> = [], bringers: ReadonlyArray<number> = []) => {
    const [rejects, reconsiderable, pool, settled] = [set(), set(), set(), set()]
    const orphans = orphanage(seededRandom(1))
    const requests = txRequestTracker(seededRandom(1))
    const wanted: Array<readonly [number, number]> = []
    const had: Array<readonly [number, number]> = []
    const keeper = orphanKeeper({
      mempool: { has: (_: string, hash: Uint8Array) => pool.has(hash) } as OrphanKeeperOptions["mempool"],
      settled: {
        orphans,
        rejects,
        reconsiderable,
        alreadyHaveTx: ({ hash }: { readonly hash: Uint8Array }) => settled.has(hash)
      } as unknown as SeenTransactions,
      requests,
      wantParents: (peer, all) => {
        wanted.push([peer, all.length])
        return !refusing.includes(peer)
      },
      mayBringPackages: (peer) => bringers.includes(peer),
      hasParents: (peer, all) => void had.push([peer, all.length])
    })
    const announcers = () => [...orphans.get(child.wtxid)?.announcers ?? []]
    return { announcers, had, keeper, orphans, pool, reconsiderable, rejects, requests, settled, wanted }
  }

  it("belongs to all who announced it by either id, and are not overloaded", () => {
    const { announcers, had, keeper, orphans, requests, settled, wanted } = made([4])
    const announce = (peer: number, hash: Uint8Array, isWtxid: boolean) =>
      requests.announced(peer, { hash, isWtxid }, false, unixMilliseconds(0), 0)
    announce(2, child.txid, false)
    announce(3, child.wtxid, true)
    announce(4, child.wtxid, true)
    announce(1, child.wtxid, true)
    settled.add(parents[0]!)
    assert.isTrue(keeper.keep(child, 1, []))
    assert.deepStrictEqual(wanted, [[1, 1], [2, 1], [3, 1], [4, 1]])
    assert.deepStrictEqual([announcers(), had, requests.size()], [[1, 2, 3], [[1, 1]], 0])
    assert.deepStrictEqual(orphans.peersWithWork(), [])
    // A peer that has it already is not asked again.
    keeper.keep(child, 1, [])
    assert.lengthOf(wanted, 4)
  })

  it("is tried again at once where a parent has come meanwhile", () => {
    const { keeper, orphans, pool } = made()
    pool.add(parents[1]!)
    keeper.keep(child, 1, parents)
    assert.deepStrictEqual(orphans.peersWithWork(), [1])
  })

  it("is none where a parent was rejected, or two pay too little by themselves", () => {
    const rejected = made()
    rejected.rejects.add(parents[1]!)
    assert.isFalse(rejected.keeper.keep(child, 1, parents))
    const { announcers, keeper, pool, reconsiderable } = made()
    for (const parent of parents) reconsiderable.add(parent)
    assert.isFalse(keeper.keep(child, 1, parents))
    assert.deepStrictEqual(announcers(), [])
    pool.add(parents[0]!)
    assert.isTrue(keeper.keep(child, 1, []))
  })

  it("gets another announcer while parents of it are missing", () => {
    const { announcers, keeper, settled } = made()
    assert.isFalse(keeper.announced(child.wtxid, 2))
    keeper.keep(child, 1, [])
    assert.isTrue(keeper.announced(child.wtxid, 2))
    settled.add(parents[0]!)
    assert.isTrue(keeper.announced(child.wtxid, 3))
    settled.add(parents[1]!)
    assert.isTrue(keeper.announced(child.wtxid, 4))
    assert.deepStrictEqual(announcers(), [1, 2, 3])
  })
})

describe("how a peer wants new blocks announced", () => {
  it("is what it said last, by compact blocks of version 2, and forgotten when it goes", () => {
    const preferences = blockAnnouncePreferences()
    const { gone, handlers } = preferences.part
    const peer = scriptedPeer(1, "inbound")
    const shown = () => [
      preferences.prefersHeaders(peer),
      preferences.prefersCompact(peer),
      preferences.servesCompact(peer)
    ]
    const sendcmpct = (announce: boolean, version: bigint) =>
      Effect.runSync(handlers!.sendcmpct!(peer, { command: "sendcmpct", announce, version }))
    assert.deepStrictEqual(shown(), [false, false, false])
    sendcmpct(true, 1n)
    assert.deepStrictEqual(shown(), [false, false, false])
    Effect.runSync(handlers!.sendheaders!(peer, { command: "sendheaders" }))
    assert.deepStrictEqual(shown(), [true, false, false])
    sendcmpct(true, 2n)
    assert.deepStrictEqual(shown(), [true, true, true])
    sendcmpct(false, 2n)
    assert.deepStrictEqual(shown(), [true, false, true])
    gone!(peer)
    assert.deepStrictEqual(shown(), [false, false, false])
  })
})
