import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { makeRelay, type Relay } from "../../../src/p2p/relay/relay.ts"
import { roundedFeerate } from "../../../src/p2p/relay/fee-filter.ts"
import { NOTHING_WANTED, RELAY_LIMITS } from "../../../src/p2p/relay/relay-limits.ts"
import { seededChance } from "../../../src/p2p/seeded-chance.ts"
import { connectTo, type ScriptedPeer, settle, shakeHands, usualVersion } from "../peer/scripted-peer.ts"
import { stillChain } from "../peer/still-chain.ts"
import { testHost } from "../peer/test-host.ts"
import { looseTransaction, pooled } from "./pool-transaction.ts"

const SECOND = 1_000
const { BLOCK, TX, WITNESS_TX, WTX } = InventoryType

const makeNode = Effect.fnUntraced(function*(options: { readonly wantsTransactions?: boolean; readonly isTrusted?: boolean } = {}) {
  const chain = stillChain()
  const blocks: Array<string> = []
  const { wantsTransactions = true } = options
  const pool = { rate: 0 }
  let relay: Relay | undefined
  const host = yield* testHost({
    chain,
    voice: { wantsTransactions },
    host: { trusts: () => options.isTrusted ?? false },
    parts: (context) =>
      Effect.map(
        makeRelay(context, {
          blocksAnnounced: (_peer, hashes) => void blocks.push(...hashes.map((hash) => `announced ${hash[0]}`)),
          blocksNotFound: (_peer, hashes) => void blocks.push(...hashes.map((hash) => `missing ${hash[0]}`)),
          wantsTransactions,
          wantedFeerate: { pool: () => pool.rate, least: 100n }
        }),
        (made) => {
          relay = made
          return [made.part]
        }
      )
  })
  /** A transaction enters the pool and everybody is told. */
  const enter = (bytes: Uint8Array, fee?: bigint) => {
    const transaction = pooled(bytes, fee)
    chain.pool(transaction)
    chain.tell("transactionAdded", transaction)
    return transaction
  }
  return { chain, blocks, pool, relay: relay!, enter, ...host }
})

type TestNode = Effect.Success<ReturnType<typeof makeNode>>

const peerOf = Effect.fnUntraced(function*(
  { host, magic, pass }: TestNode,
  { kind = "inbound", relay = 1, wtxid = true }: { readonly kind?: PeerKind; readonly relay?: number; readonly wtxid?: boolean } = {}
) {
  const peer = connectTo(host, magic, kind)
  if (wtxid) yield* shakeHands(peer, { ...usualVersion, relay })
  else {
    peer.say({ ...usualVersion, relay }, { command: "verack" })
    yield* settle
  }
  pass(100)
  peer.news()
  return peer
})

const hashesOf = (peer: ScriptedPeer, command: "inv" | "getdata"): ReadonlyArray<string> =>
  peer.last(command).inventory.map(({ hash, type }) => `${type}:${Buffer.from(hash).toString("hex")}`)

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString("hex")

describe("announcing transactions", () => {
  it.effect("by the id that the peer goes by; not to who wants none", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [byWitness, byId] = [yield* peerOf(node), yield* peerOf(node, { wtxid: false })]
      const [silent, blocksOnly] = [yield* peerOf(node, { relay: 0 }), yield* peerOf(node, { kind: "block-relay-only" })]
      const { txid, wtxid } = node.enter(looseTransaction(1))
      node.pass(60 * SECOND)
      assert.deepStrictEqual(hashesOf(byWitness, "inv"), [`${WTX}:${hex(wtxid)}`])
      assert.deepStrictEqual(hashesOf(byId, "inv"), [`${TX}:${hex(txid)}`])
      assert.notInclude(silent.commands(), "inv")
      assert.notInclude(blocksOnly.commands(), "inv")
    }))

  it.effect("a peer that the operator trusts hears of it at once, and is asked at once", () =>
    Effect.gen(function*() {
      const node = yield* makeNode({ isTrusted: true })
      const peer = yield* peerOf(node)
      for (let i = 0; i < 5; i++) {
        node.enter(looseTransaction(i))
        node.pass(100)
        assert.include(peer.news(), "inv")
      }
      peer.say({ command: "inv", inventory: [{ type: WTX, hash: new Uint8Array(32).fill(7) }] })
      yield* settle
      node.pass(100)
      assert.include(peer.news(), "getdata")
    }))

  it.effect("inbound peers hear of it at one time, which nobody can foresee", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peers = yield* Effect.all([peerOf(node), peerOf(node), peerOf(node)])
      // The first announcement to a peer comes at once; from then on all wait for the same moment.
      node.pass(30 * SECOND)
      const waits: Array<number> = []
      for (let i = 0; i < 20; i++) {
        node.enter(looseTransaction(i))
        let waited = 0
        while (!peers[0]!.news().includes("inv")) {
          node.pass(100)
          waited += 100
        }
        for (const peer of peers.slice(1)) assert.include(peer.news(), "inv")
        waits.push(waited)
      }
      assert.isAbove(new Set(waits).size, 5)
      const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length
      assert.isTrue(mean > 1 * SECOND && mean < 20 * SECOND, `mean ${mean}`)
    }))

  it.effect("CVE inv-to-send: many that wait are told in portions, and more at a time when more wait", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      for (let i = 0; i < 100; i++) node.enter(looseTransaction(i))
      while (!peer.news().includes("inv")) node.pass(100)
      assert.strictEqual(peer.last("inv").inventory.length, 70)
      for (let i = 100; i < 4_100; i++) node.enter(looseTransaction(i))
      while (!peer.news().includes("inv")) node.pass(100)
      assert.strictEqual(peer.last("inv").inventory.length, 90)
    }))

  it.effect("what pays less than the peer asks for is not told; an impossible fee filter is ignored", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      peer.say({ command: "feefilter", feerate: 5_000n })
      yield* settle
      peer.say({ command: "feefilter", feerate: -1n }, { command: "feefilter", feerate: 2_100_000_000_000_001n })
      yield* settle
      const size = BigInt(pooled(looseTransaction(0)).virtualSize)
      node.enter(looseTransaction(1), (size * 5_000n - 1n) / 1_000n)
      const { wtxid } = node.enter(looseTransaction(2), (size * 5_000n + 999n) / 1_000n)
      node.pass(60 * SECOND)
      assert.deepStrictEqual(hashesOf(peer, "inv"), [`${WTX}:${hex(wtxid)}`])
    }))

  it.effect("what a peer named itself is not told to it", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [peer, other] = [yield* peerOf(node), yield* peerOf(node)]
      const bytes = looseTransaction(1)
      peer.say({ command: "inv", inventory: [{ type: WTX, hash: pooled(bytes).wtxid }] })
      yield* settle
      node.enter(bytes)
      node.pass(60 * SECOND)
      assert.notInclude(peer.commands(), "inv")
      assert.include(other.commands(), "inv")
    }))

  it.effect("nobody finds out by asking what it has not been told of", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const before = pooled(looseTransaction(1))
      node.chain.pool(before)
      const after = node.enter(looseTransaction(2))
      const live = node.peers.get(0)!
      assert.strictEqual(node.relay.transactionFor(live, { type: WTX, hash: before.wtxid }), before)
      assert.strictEqual(node.relay.transactionFor(live, { type: WTX, hash: after.wtxid }), undefined)
      node.pass(60 * SECOND)
      assert.include(peer.commands(), "inv")
      assert.strictEqual(node.relay.transactionFor(live, { type: WITNESS_TX, hash: after.txid }), after)
      assert.strictEqual(node.relay.transactionFor(live, { type: WTX, hash: after.txid }), undefined)
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
      const bytes = looseTransaction(1)
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
      const bytes = looseTransaction(1)
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
      plain.say(invOf(looseTransaction(1), TX))
      yield* settle
      node.pass(100)
      assert.deepStrictEqual(hashesOf(plain, "getdata"), [`${WITNESS_TX}:${hex(pooled(looseTransaction(1)).txid)}`])
      yield* peerOf(node)
      plain.say(invOf(looseTransaction(2), TX))
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
      const asked = peer.heard.filter(({ command }) => command === "getdata")
      assert.strictEqual(asked.length, 5)
      assert.strictEqual(node.relay.inFlight(node.peers.get(0)!), 5_000)
    }))

  it.effect("not while blocks are downloaded, and a transaction that comes then is not looked at", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      node.chain.set({ initialBlockDownload: true })
      const peer = yield* peerOf(node)
      peer.say(invOf(looseTransaction(1)))
      peer.sayPayload("tx", looseTransaction(2))
      yield* settle
      node.pass(10 * SECOND)
      assert.notInclude(peer.commands(), "getdata")
      assert.deepStrictEqual(node.chain.judged, [])
      assert.strictEqual(peer.last("feefilter").feerate, 9_936_506n)
      node.chain.set({ initialBlockDownload: false })
      node.pass(100)
      assert.strictEqual(peer.last("feefilter").feerate, 100n)
    }))

  it.effect.each(["inv", "tx"] as const)("%s of a transaction over a connection that is for blocks only ends it", (command) =>
    Effect.gen(function*() {
      const only = yield* makeNode()
      const blocksOnly = yield* peerOf(only, { kind: "block-relay-only" })
      const none = yield* makeNode({ wantsTransactions: false })
      const plain = yield* peerOf(none)
      for (const peer of [blocksOnly, plain]) {
        if (command === "tx") peer.sayPayload("tx", looseTransaction(1))
        else peer.say(invOf(looseTransaction(1)))
        yield* settle
        assert.isTrue(peer.is.closed)
      }
    }))

  it.effect("blocks that are named, or missing, are for others to know of", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node, { kind: "block-relay-only" })
      const hash = (value: number) => new Uint8Array(32).fill(value)
      peer.say(
        { command: "inv", inventory: [{ type: BLOCK, hash: hash(1) }, { type: 4, hash: hash(2) }, { type: BLOCK, hash: hash(3) }] },
        { command: "notfound", inventory: [{ type: BLOCK, hash: hash(4) }] }
      )
      yield* settle
      assert.deepStrictEqual(node.blocks, ["announced 1", "announced 3", "missing 4"])
    }))
})

describe("the fee filter", () => {
  const MINUTE = 60 * SECOND
  const told = (peer: ScriptedPeer): bigint => peer.last("feefilter").feerate

  it.effect("follows the lowest rate of the pool in steps of a tenth, soon when it is far from what was said", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      assert.strictEqual(told(peer), 100n)
      node.pool.rate = 120
      node.pass(5 * MINUTE)
      // That little may wait for its turn, ten minutes or so; this may not.
      node.pool.rate = 10_000
      node.pass(5 * MINUTE + 200)
      const found = Number(told(peer))
      assert.isTrue(found >= 9_000 && found <= 11_000, `${found}`)
      node.pool.rate = 0
      node.pass(5 * MINUTE + 200)
      assert.strictEqual(told(peer), 100n)
    }))

  it.effect("is not told to peers for blocks alone, nor to those who do not know it", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const forBlocks = yield* peerOf(node, { kind: "block-relay-only" })
      const old = connectTo(node.host, node.magic)
      old.say({ ...usualVersion, version: 70_012 }, { command: "verack" })
      yield* settle
      node.pass(1_000)
      for (const peer of [forBlocks, old]) assert.notInclude(peer.commands(), "feefilter")
    }))

  it("is rounded down two times of three, and never beyond the last step", () => {
    const chance = seededChance(20_261_124)
    const found = Array.from({ length: 3_000 }, () => Number(roundedFeerate(1_000, chance)))
    const [low, high] = [Math.min(...found), Math.max(...found)]
    assert.isTrue(low < 1_000 && high >= 1_000 && high / low < 1.11)
    assert.strictEqual(new Set(found).size, 2)
    const down = found.filter((rate) => rate === low).length
    assert.isTrue(down > 1_900 && down < 2_100, `${down}`)
    assert.strictEqual(roundedFeerate(0, chance), 0n)
    assert.strictEqual(roundedFeerate(2.1e15, chance), NOTHING_WANTED)
  })
})

describe("judging transactions", () => {
  it.effect("one that nobody asked for is judged; one that is refused is not judged again until there is another tip", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const bytes = looseTransaction(1)
      node.chain.judge(() => ({ _tag: "Refused", reason: "min relay fee not met", isConsensus: false }))
      peer.sayPayload("tx", bytes)
      peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.chain.judged.length, 1)
      assert.isFalse(peer.is.closed)
      const { tip } = node.chain.tree
      node.chain.tell("tip", tip, tip, false)
      peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.chain.judged.length, 2)
    }))

  it.effect("one too large to be relayed is not even decoded", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      peer.sayPayload("tx", looseTransaction(1, undefined, 400_000))
      peer.sayPayload("tx", Uint8Array.of(2, 0, 0, 0, 1))
      yield* settle
      assert.deepStrictEqual(node.chain.judged, [])
      assert.isFalse(peer.is.closed)
    }))

  it.effect("an orphan: its parent is asked for, and it is judged again when the parent has come", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const parent = looseTransaction(1)
      const child = looseTransaction(2, pooled(parent).txid)
      node.chain.judge((bytes) => {
        if (bytes.length === child.length && Buffer.compare(bytes, child) === 0 && node.chain.poolByTxid.size === 0) {
          return { _tag: "MissingInputs", parents: [pooled(parent).txid] }
        }
        const transaction = pooled(bytes)
        node.chain.pool(transaction)
        node.chain.tell("transactionAdded", transaction)
        return { _tag: "Accepted", transaction }
      })
      peer.sayPayload("tx", child)
      yield* settle
      node.pass(5 * SECOND)
      assert.deepStrictEqual(hashesOf(peer, "getdata"), [`${WITNESS_TX}:${hex(pooled(parent).txid)}`])
      peer.sayPayload("tx", parent)
      yield* settle
      assert.strictEqual(node.chain.poolByTxid.size, 2)
      assert.strictEqual(node.chain.judged.length, 3)
    }))

  it.effect("an orphan whose parent was refused is refused", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const parent = looseTransaction(1)
      const { wtxid } = pooled(parent)
      const child = looseTransaction(2, wtxid)
      node.chain.judge((bytes) =>
        Buffer.compare(bytes, child) === 0
          ? { _tag: "MissingInputs", parents: [wtxid] }
          : { _tag: "Refused", reason: "dust", isConsensus: false }
      )
      peer.sayPayload("tx", parent)
      peer.sayPayload("tx", child)
      peer.sayPayload("tx", child)
      yield* settle
      node.pass(10 * SECOND)
      assert.strictEqual(node.chain.judged.length, 2)
      assert.notInclude(peer.commands(), "getdata")
    }))
})
