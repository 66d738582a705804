import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { RELAY_LIMITS } from "../../../src/p2p/relay/relay-limits.ts"
import { settle } from "../peer/scripted-peer.ts"
import { hollowBlock } from "../peer/still-chain.ts"
import { bareTransaction, pooled, unconfirmedTransaction } from "./pool-transaction.ts"
import { hashesOf, hex, makeNode, passUntil, peerOf } from "./relay-node.ts"

const SECOND = 1_000
const { BLOCK, TX, WITNESS_TX, WTX } = InventoryType

describe("announcing transactions", () => {
  it.effect("by the id that the peer goes by; not to a peer that wants none", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [byWitness, byId] = [yield* peerOf(node), yield* peerOf(node, { wtxid: false })]
      const [silent, blocksOnly] = [
        yield* peerOf(node, { relay: 0 }),
        yield* peerOf(node, { kind: "block-relay-only" })
      ]
      const { txid, wtxid } = node.enter(unconfirmedTransaction(1))
      node.pass(60 * SECOND)
      assert.deepStrictEqual(hashesOf(byWitness, "inv"), [`${WTX}:${hex(wtxid)}`])
      assert.deepStrictEqual(hashesOf(byId, "inv"), [`${TX}:${hex(txid)}`])
      assert.notInclude(silent.commands(), "inv")
      assert.notInclude(blocksOnly.commands(), "inv")
    }))

  it.effect("a peer that the operator trusts gets its announcement at once, and is asked at once", () =>
    Effect.gen(function*() {
      const node = yield* makeNode({ isTrusted: true })
      const peer = yield* peerOf(node)
      for (let i = 0; i < 5; i++) {
        node.enter(unconfirmedTransaction(i))
        node.pass(100)
        assert.include(peer.news(), "inv")
      }
      peer.say({ command: "inv", inventory: [{ type: WTX, hash: new Uint8Array(32).fill(7) }] })
      yield* settle
      node.pass(100)
      assert.include(peer.news(), "getdata")
    }))

  it.effect("inbound peers get announcements at one time, which is unpredictable", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peers = yield* Effect.all([peerOf(node), peerOf(node), peerOf(node)])
      // The first announcement to a peer comes at once; from then on all wait for the same moment.
      node.pass(30 * SECOND)
      const waits: Array<number> = []
      for (let i = 0; i < 20; i++) {
        node.enter(unconfirmedTransaction(i))
        const waited = passUntil(node, peers[0]!, "inv")
        for (const peer of peers.slice(1)) assert.include(peer.news(), "inv")
        waits.push(waited)
      }
      assert.isAbove(new Set(waits).size, 5)
      const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length
      assert.isTrue(mean > 1 * SECOND && mean < 20 * SECOND, `mean ${mean}`)
    }))

  it.effect("CVE inv-to-send: a long queue is announced in portions, and more at a time when more wait", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      for (let i = 0; i < 100; i++) node.enter(unconfirmedTransaction(i))
      passUntil(node, peer, "inv")
      assert.strictEqual(peer.last("inv").inventory.length, 70)
      for (let i = 100; i < 4_100; i++) node.enter(unconfirmedTransaction(i))
      passUntil(node, peer, "inv")
      assert.strictEqual(peer.last("inv").inventory.length, 90)
    }))

  it.effect("what pays less than the peer's fee filter is not announced; an impossible fee filter is ignored", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      peer.say({ command: "feefilter", feerate: 5_000n })
      yield* settle
      peer.say({ command: "feefilter", feerate: -1n }, { command: "feefilter", feerate: 2_100_000_000_000_001n })
      yield* settle
      const size = BigInt(pooled(unconfirmedTransaction(0)).virtualSize)
      node.enter(unconfirmedTransaction(1), (size * 5_000n - 1n) / 1_000n)
      const { wtxid } = node.enter(unconfirmedTransaction(2), (size * 5_000n + 999n) / 1_000n)
      node.pass(60 * SECOND)
      assert.deepStrictEqual(hashesOf(peer, "inv"), [`${WTX}:${hex(wtxid)}`])
    }))

  it.effect("what a peer announced itself is not announced to it", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [peer, other] = [yield* peerOf(node), yield* peerOf(node)]
      const bytes = unconfirmedTransaction(1)
      peer.say({ command: "inv", inventory: [{ type: WTX, hash: pooled(bytes).wtxid }] })
      yield* settle
      node.enter(bytes)
      node.pass(60 * SECOND)
      assert.notInclude(peer.commands(), "inv")
      assert.include(other.commands(), "inv")
    }))

  it.effect("a peer cannot request what was not announced to it", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const before = pooled(unconfirmedTransaction(1))
      node.chain.pool(before)
      const after = node.enter(unconfirmedTransaction(2))
      const live = node.peers.get(0)!
      const found = (type: number, hash: Uint8Array) => node.relay.transactionFor(live, { type, hash })
      assert.isUndefined(yield* found(WTX, before.wtxid), "no turn of the peer came after it")
      assert.isUndefined(yield* found(WTX, after.wtxid))
      node.pass(60 * SECOND)
      assert.include(peer.commands(), "inv")
      assert.deepStrictEqual(yield* found(WTX, before.wtxid), before.bytes)
      assert.deepStrictEqual(yield* found(WITNESS_TX, after.txid), after.bytes)
      assert.isUndefined(yield* found(WTX, after.txid))
      const later = node.enter(unconfirmedTransaction(3))
      assert.isUndefined(yield* found(WTX, later.wtxid))
    }))
})

describe("transactions of the newest block", () => {
  it.effect("are served by either id, to any peer, until there is another tip", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      yield* peerOf(node)
      const live = node.peers.get(0)!
      const [mined, other, evicted] = [1, 2, 3].map((salt) => node.enter(unconfirmedTransaction(salt)))
      const found = Effect.forEach(
        [[WTX, mined!.wtxid], [WITNESS_TX, mined!.txid], [TX, mined!.txid], [WTX, mined!.txid], [
          WTX,
          evicted!.wtxid
        ]] as const,
        ([type, hash]) => node.relay.transactionFor(live, { type, hash })
      )
      const none = Array.from({ length: 5 })
      const mine = (...transactions: ReadonlyArray<typeof mined>) => {
        const { tip } = node.chain.tree
        node.chain.notify("confirmed", {
          txids: concatBytes(transactions.map((each) => each!.txid)),
          wtxids: concatBytes(transactions.map((each) => each!.wtxid)),
          spent: new Uint8Array(0)
        })
        for (const each of transactions) node.chain.unpool(each!, "block")
        const bytes = concatBytes([
          hollowBlock(tip).subarray(0, 80),
          Uint8Array.of(1 + transactions.length),
          bareTransaction(99),
          ...transactions.map((each) => each!.bytes)
        ])
        return () => node.chain.notify("tip", node.chain.extend(bytes), tip, false)
      }
      assert.deepStrictEqual(yield* found, none)
      node.chain.unpool(evicted!, "sizelimit")
      const become = mine(mined)
      assert.deepStrictEqual(yield* found, none, "it is not announced as the tip yet")
      become()
      assert.deepStrictEqual(yield* found, [mined!.bytes, mined!.bytes, mined!.bytes, undefined, undefined])
      const next = mine(other)
      assert.deepStrictEqual((yield* found)[0], mined!.bytes)
      next()
      assert.deepStrictEqual(yield* found, none)
      assert.deepStrictEqual(yield* node.relay.transactionFor(live, { type: WTX, hash: other!.wtxid }), other!.bytes)
    }))
})

describe("asking for transactions", () => {
  const invOf = (bytes: Uint8Array, type: number = WTX) => ({
    command: "inv" as const,
    inventory: [{ type, hash: type === WTX ? pooled(bytes).wtxid : pooled(bytes).txid }]
  })

  it.effect("inbound peers after two seconds, outbound ones at once, the next when the first does not send it", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [inbound, outbound] = [yield* peerOf(node), yield* peerOf(node, { kind: "outbound-full-relay" })]
      const bytes = unconfirmedTransaction(1)
      inbound.say(invOf(bytes))
      yield* settle
      node.pass(1_900)
      assert.deepStrictEqual(inbound.news(), [])
      outbound.say(invOf(bytes))
      yield* settle
      node.pass(100)
      assert.deepStrictEqual(outbound.news(), ["getdata"])
      node.pass(RELAY_LIMITS.requestTime.most - 200)
      assert.deepStrictEqual(inbound.news(), [])
      node.pass(300)
      assert.deepStrictEqual(inbound.news(), ["getdata"])
      assert.deepStrictEqual(hashesOf(inbound, "getdata"), [`${WTX}:${hex(pooled(bytes).wtxid)}`])
    }))

  it.effect("notfound goes on to the next at once", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [first, second] = [yield* peerOf(node, { kind: "outbound-full-relay" }), yield* peerOf(node)]
      const bytes = unconfirmedTransaction(1)
      first.say(invOf(bytes))
      second.say(invOf(bytes))
      yield* settle
      node.pass(3 * SECOND)
      assert.deepStrictEqual([first.news(), second.news()], [["getdata"], []])
      first.say({ command: "notfound", inventory: invOf(bytes).inventory })
      yield* settle
      node.pass(100)
      assert.deepStrictEqual(second.news(), ["getdata"])
      second.hangUp()
      yield* settle
    }))

  it.effect("by txid later than by wtxid, where some peer knows wtxids", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const plain = yield* peerOf(node, { wtxid: false, kind: "outbound-full-relay" })
      plain.say(invOf(unconfirmedTransaction(1), TX))
      yield* settle
      node.pass(100)
      assert.deepStrictEqual(hashesOf(plain, "getdata"), [
        `${WITNESS_TX}:${hex(pooled(unconfirmedTransaction(1)).txid)}`
      ])
      yield* peerOf(node)
      plain.say(invOf(unconfirmedTransaction(2), TX))
      yield* settle
      plain.news()
      node.pass(1_900)
      assert.deepStrictEqual(plain.news(), [])
      node.pass(200)
      assert.deepStrictEqual(plain.news(), ["getdata"])
    }))

  it.effect("CVE-2018-17145: 5,000 announcements of a peer are kept, and no more", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const inventory = Array.from({ length: 6_000 }, (_, i) => {
        const hash = new Uint8Array(32).fill(3)
        new DataView(hash.buffer).setUint32(0, i)
        return { type: WTX, hash }
      })
      peer.say({ command: "inv", inventory })
      yield* settle
      node.pass(3 * SECOND)
      const asked = peer.received.filter(({ command }) => command === "getdata")
      assert.strictEqual(asked.length, 5)
      assert.strictEqual(node.relay.inFlight(node.peers.get(0)!), 5_000)
    }))

  it.effect("not while blocks are downloaded, and a transaction that comes then is not looked at", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      node.chain.set({ initialBlockDownload: true })
      const peer = yield* peerOf(node)
      peer.say(invOf(unconfirmedTransaction(1)))
      peer.sayPayload("tx", unconfirmedTransaction(2))
      yield* settle
      node.pass(10 * SECOND)
      assert.notInclude(peer.commands(), "getdata")
      assert.deepStrictEqual(node.chain.judged, [])
      assert.strictEqual(peer.last("feefilter").feerate, 9_936_506n)
      node.chain.set({ initialBlockDownload: false })
      node.pass(100)
      assert.strictEqual(peer.last("feefilter").feerate, 100n)
    }))

  it.effect.each(["inv", "tx"] as const)(
    "%s of a transaction over a connection that is for blocks only ends it",
    (command) =>
      Effect.gen(function*() {
        const only = yield* makeNode()
        const blocksOnly = yield* peerOf(only, { kind: "block-relay-only" })
        const none = yield* makeNode({ wantsTransactions: false })
        const plain = yield* peerOf(none)
        for (const peer of [blocksOnly, plain]) {
          if (command === "tx") peer.sayPayload("tx", unconfirmedTransaction(1))
          else peer.say(invOf(unconfirmedTransaction(1)))
          yield* settle
          assert.isTrue(peer.is.closed)
        }
      })
  )

  it.effect("blocks that are named, or missing, are for others to know of", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node, { kind: "block-relay-only" })
      const hash = (value: number) => new Uint8Array(32).fill(value)
      peer.say(
        {
          command: "inv",
          inventory: [{ type: BLOCK, hash: hash(1) }, { type: 4, hash: hash(2) }, { type: BLOCK, hash: hash(3) }]
        },
        { command: "notfound", inventory: [{ type: BLOCK, hash: hash(4) }] }
      )
      yield* settle
      assert.deepStrictEqual(node.blocks, ["announced 1", "announced 3", "missing 4"])
    }))
})
