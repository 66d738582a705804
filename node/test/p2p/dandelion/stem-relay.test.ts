import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { settle, usualVersion } from "../peer/scripted-peer.ts"
import { pooled, unconfirmedTransaction } from "../relay/pool-transaction.ts"
import { hashesOf, hex, makeNode, peerOf, type TestNode } from "../relay/relay-node.ts"

const { WTX } = InventoryType
const services = usualVersion.services | ServiceFlag.DANDELION
/** Longer than any embargo of 10 s in the mean, and than any turn of announcements after it. */
const LATEST = 60_000
const TURNS = 120_000

const stemming = (fluffProbability = 0, meanEmbargo = 10_000) =>
  makeNode({ dandelion: { meanEmbargo, fluffProbability } })

/** A node with an inbound peer, and two that take stem transactions. */
const company = Effect.fnUntraced(function*(node: TestNode) {
  const inbound = yield* peerOf(node)
  const hops = [
    yield* peerOf(node, { kind: "outbound-full-relay", services }),
    yield* peerOf(node, { kind: "outbound-full-relay", services })
  ]
  return { inbound, hops, all: [inbound, ...hops] }
})

/** The engine takes every transaction, as if it were judged valid. */
const takeAll = (node: TestNode) => node.judgeByParents(() => [])

const stemsReceived = (peer: { readonly received: ReadonlyArray<{ readonly command: string }> }) =>
  peer.received.filter(({ command }) => command === "dandeliontx").length

const observed = ({ events }: TestNode, family = "Dandelion") =>
  events.map(({ what }) => what).filter((what) => what.startsWith(family))

/** What the events of stems carry. */
const stemEvents = ({ events }: TestNode) =>
  events.filter(({ what }) => what.startsWith("Dandelion")).map(({ about }) => about)

describe("a transaction of this node", () => {
  it.effect("goes to one peer alone, and to all within the embargo when that peer swallows it", () =>
    Effect.gen(function*() {
      const node = yield* stemming()
      const { all, hops, inbound } = yield* company(node)
      const own = node.enter(unconfirmedTransaction(1))
      yield* settle
      assert.strictEqual(hops.map(stemsReceived).reduce((a, b) => a + b), 1)
      assert.strictEqual(stemsReceived(inbound), 0)
      assert.deepStrictEqual(observed(node), ["DandelionStemStarted", "DandelionStemAdvanced"])
      const txid = hex(Uint8Array.from(own.txid).reverse())
      const { name } = node.peers.get(hops.findIndex((hop) => stemsReceived(hop) > 0) + 1)!
      assert.deepStrictEqual(stemEvents(node), [{ txid, peer: name }, { txid, peer: name, hops: 1 }])
      node.pass(LATEST + TURNS)
      yield* settle
      for (const peer of all) assert.deepStrictEqual(hashesOf(peer, "inv"), [`${WTX}:${hex(own.wtxid)}`])
      assert.deepStrictEqual(observed(node).slice(2), ["DandelionStemPathExpired", "DandelionFluffed"])
      assert.deepStrictEqual(stemEvents(node).slice(2), [{ txid, peer: name }, { txid, hops: 1 }])
      assert.deepStrictEqual(node.relay.dandelion?.(), { stems: 0, started: 1, advanced: 0, fluffed: 1, expired: 1 })
      const bytes = yield* node.relay.transactionFor(node.peers.get(0)!, { type: WTX, hash: own.wtxid })
      assert.deepStrictEqual(bytes, own.bytes)
    }))

  it.effect("is neither announced nor served while it is on its stem, whatever peers ask for", () =>
    Effect.gen(function*() {
      const node = yield* stemming(0, 24 * 3_600_000)
      const { all } = yield* company(node)
      const own = node.enter(unconfirmedTransaction(1))
      node.chain.own.push(own.txid)
      const open = node.enter(unconfirmedTransaction(2))
      yield* settle
      all[0]!.sayPayload("tx", open.bytes)
      yield* settle
      node.relay.announce(own.txid)
      for (const peer of node.peers.values()) node.relay.announcePool(peer)
      // Long enough for the rebroadcast of what no peer has fetched.
      node.pass(16 * 60_000, 1_000)
      yield* settle
      for (const peer of node.peers.values()) {
        assert.isUndefined(yield* node.relay.transactionFor(peer, { type: WTX, hash: own.wtxid }))
        assert.isDefined(yield* node.relay.transactionFor(peer, { type: WTX, hash: open.wtxid }))
      }
      for (const peer of all) assert.deepStrictEqual(hashesOf(peer, "inv"), [`${WTX}:${hex(open.wtxid)}`])
      assert.strictEqual(node.relay.dandelion?.().stems, 1)
    }))

  it.effect("is requested like an unknown one when a peer announces it, and fluffed when it comes", () =>
    Effect.gen(function*() {
      const node = yield* stemming()
      const { hops, inbound } = yield* company(node)
      const own = node.enter(unconfirmedTransaction(1))
      yield* settle
      inbound.say({ command: "inv", inventory: [{ type: WTX, hash: own.wtxid }] })
      yield* settle
      node.pass(3_000)
      assert.deepStrictEqual(hashesOf(inbound, "getdata"), [`${WTX}:${hex(own.wtxid)}`])
      if (node.relay.dandelion?.().stems === 0) return assert.fail("the embargo of this seed is too short")
      inbound.sayPayload("tx", own.bytes)
      yield* settle
      assert.strictEqual(node.relay.dandelion?.().stems, 0)
      node.pass(TURNS)
      yield* settle
      for (const hop of hops) assert.deepStrictEqual(hashesOf(hop, "inv"), [`${WTX}:${hex(own.wtxid)}`])
      assert.notInclude(inbound.commands(), "inv")
    }))

  it.effect("is announced at once where no peer takes stem transactions", () =>
    Effect.gen(function*() {
      const node = yield* stemming()
      const peer = yield* peerOf(node, { kind: "outbound-full-relay" })
      yield* peerOf(node, { services })
      const own = node.enter(unconfirmedTransaction(1))
      node.pass(TURNS)
      yield* settle
      assert.deepStrictEqual(hashesOf(peer, "inv"), [`${WTX}:${hex(own.wtxid)}`])
      assert.deepStrictEqual(observed(node), ["DandelionFluffed"])
      assert.deepStrictEqual(stemEvents(node).map((about) => about["hops"]), [0])
    }))

  it.effect("is not fluffed before its parent on the stem", () =>
    Effect.gen(function*() {
      const node = yield* stemming()
      const { inbound } = yield* company(node)
      const parent = node.enter(unconfirmedTransaction(1))
      const child = node.enter(unconfirmedTransaction(2, parent.txid))
      yield* settle
      inbound.sayPayload("tx", child.bytes)
      yield* settle
      assert.strictEqual(node.relay.dandelion?.().stems, 0)
      assert.deepStrictEqual(
        node.events.filter(({ what }) => what === "DandelionFluffed").map(({ about }) => about["txid"]),
        [parent, child].map(({ txid }) => hex(Uint8Array.from(txid).reverse()))
      )
    }))
})

describe("a stem transaction of a peer", () => {
  it.effect("is judged, and handed on to one peer that is not its source", () =>
    Effect.gen(function*() {
      const node = yield* stemming()
      takeAll(node)
      const { hops, inbound } = yield* company(node)
      const bytes = unconfirmedTransaction(1)
      inbound.sayPayload("dandeliontx", bytes)
      yield* settle
      assert.strictEqual(hops.map(stemsReceived).reduce((a, b) => a + b), 1)
      assert.strictEqual(node.relay.dandelion?.().advanced, 1)
      assert.deepStrictEqual(stemEvents(node).map((about) => about["hops"]), [2])
      inbound.sayPayload("dandeliontx", bytes)
      yield* settle
      assert.lengthOf(node.chain.judged, 1)
      node.pass(LATEST + TURNS)
      yield* settle
      // The source learns of it too: that ends its own embargo.
      assert.deepStrictEqual(hashesOf(inbound, "inv"), [`${WTX}:${hex(pooled(bytes).wtxid)}`])
    }))

  it.effect("is fluffed at once in the epoch of a diffuser", () =>
    Effect.gen(function*() {
      const node = yield* stemming(1)
      takeAll(node)
      const { hops, inbound } = yield* company(node)
      inbound.sayPayload("dandeliontx", unconfirmedTransaction(1))
      yield* settle
      assert.deepStrictEqual(hops.map(stemsReceived), [0, 0])
      assert.deepStrictEqual(observed(node), ["DandelionFluffed"])
      assert.deepStrictEqual(stemEvents(node).map((about) => about["hops"]), [1])
    }))

  it.effect("whose inputs are missing is forgotten, and may come again", () =>
    Effect.gen(function*() {
      const node = yield* stemming()
      const { inbound } = yield* company(node)
      node.chain.judge(() => ({ _tag: "MissingInputs", parents: [new Uint8Array(32).fill(7)] }))
      for (let i = 0; i < 2; i++) {
        inbound.sayPayload("dandeliontx", unconfirmedTransaction(1))
        yield* settle
      }
      assert.lengthOf(node.chain.judged, 2)
      assert.strictEqual(node.relay.sizes().orphans, 0)
    }))
})

describe("stem transactions that are not handed on", () => {
  it.effect("are those of a peer that may send none, and what is no transaction", () =>
    Effect.gen(function*() {
      const node = yield* makeNode({
        wantsTransactions: false,
        dandelion: { meanEmbargo: 10_000, fluffProbability: 0 }
      })
      takeAll(node)
      const { inbound } = yield* company(node)
      inbound.sayPayload("dandeliontx", unconfirmedTransaction(1))
      yield* settle
      assert.deepStrictEqual([node.chain.judged.length, inbound.is.closed], [0, true])
      const other = yield* stemming()
      const { inbound: peer } = yield* company(other)
      peer.sayPayload("dandeliontx", new Uint8Array(9))
      yield* settle
      assert.deepStrictEqual([other.chain.judged.length, peer.is.closed], [0, false])
    }))

  it.effect("are those that come in the initial download, that were seen before, or that weigh too much", () =>
    Effect.gen(function*() {
      const node = yield* stemming()
      takeAll(node)
      const { inbound } = yield* company(node)
      const judgedAfter = Effect.fnUntraced(function*(bytes: Uint8Array) {
        inbound.sayPayload("dandeliontx", bytes)
        yield* settle
        return node.chain.judged.length
      })
      node.chain.set({ initialBlockDownload: true })
      assert.strictEqual(yield* judgedAfter(unconfirmedTransaction(1)), 0)
      node.chain.set({ initialBlockDownload: false })
      const known = node.enter(unconfirmedTransaction(2))
      yield* settle
      node.pass(LATEST + TURNS)
      assert.strictEqual(yield* judgedAfter(known.bytes), 0)
      const light = unconfirmedTransaction(3, undefined, 390_000)
      assert.strictEqual(yield* judgedAfter(light), 1)
      const heavy = unconfirmedTransaction(4, undefined, 401_000)
      assert.strictEqual(yield* judgedAfter(heavy), 1)
      assert.isFalse(inbound.is.closed)
    }))

  it.effect("go to no peer that wants no transactions", () =>
    Effect.gen(function*() {
      const node = yield* stemming()
      const silent = yield* peerOf(node, { kind: "outbound-full-relay", services, relay: 0 })
      const open = yield* peerOf(node, { kind: "outbound-full-relay", services })
      for (let i = 1; i < 9; i++) node.enter(unconfirmedTransaction(i))
      yield* settle
      assert.deepStrictEqual([stemsReceived(silent), stemsReceived(open)], [0, 8])
    }))
})

describe("a transaction that left its stem", () => {
  it.effect("is served to a peer once it was announced to that, and is forgotten with the mempool", () =>
    Effect.gen(function*() {
      const node = yield* stemming(0, 1)
      yield* company(node)
      const own = node.enter(unconfirmedTransaction(1))
      yield* settle
      // Its embargo is over with the next look, long before a turn of announcements may be.
      node.relay.part.tickAll!(unixMilliseconds(0))
      assert.deepStrictEqual(observed(node).slice(-1), ["DandelionStemAdvanced"])
      const servedTo = (id: number) => node.relay.transactionFor(node.peers.get(id)!, { type: WTX, hash: own.wtxid })
      node.pass(100)
      assert.deepStrictEqual(observed(node).slice(-1), ["DandelionFluffed"])
      for (const to of node.peers.values()) assert.isUndefined(yield* servedTo(to.id), `${to.id}`)
      node.pass(TURNS)
      yield* settle
      for (const to of node.peers.values()) assert.isDefined(yield* servedTo(to.id), `${to.id}`)
    }))
})

describe("without Dandelion++", () => {
  it.effect("stem transactions are not looked at, and own ones are announced as they come", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const { all, hops, inbound } = yield* company(node)
      inbound.sayPayload("dandeliontx", unconfirmedTransaction(1))
      yield* settle
      assert.lengthOf(node.chain.judged, 0)
      assert.isFalse(inbound.is.closed)
      const own = node.enter(unconfirmedTransaction(2))
      node.pass(TURNS)
      yield* settle
      for (const peer of all) assert.deepStrictEqual(hashesOf(peer, "inv"), [`${WTX}:${hex(own.wtxid)}`])
      assert.deepStrictEqual(hops.map(stemsReceived), [0, 0])
      assert.deepStrictEqual(observed(node), [])
      assert.isUndefined(node.relay.dandelion)
    }))
})
