import { assert, describe, it } from "@effect/vitest"
import { decodeTransaction, type Transaction } from "@lockstep/kernel/model"
import { addToFilter, bloomFilter } from "@lockstep/protocol/bloom/bloom-filter.ts"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { PeerPermissions } from "../../../src/net/peer-permissions.ts"
import { type ScriptedPeer, settle } from "../peer/scripted-peer.ts"
import { unconfirmedTransaction } from "./pool-transaction.ts"
import { patience } from "../../process/patience.ts"
import { hex, makeNode, peerOf, type TestNode } from "./relay-node.ts"

const { BLOOM, NETWORK, WITNESS } = ServiceFlag
const STEP = 15_000

const filterload = (filter: Uint8Array, hashFunctions: number): Message => ({
  command: "filterload",
  filter,
  hashFunctions,
  tweak: 3,
  flags: 0
})

/** The outpoint that `unconfirmedTransaction(salt)` spends. */
const outpoint = (salt: number): Uint8Array => {
  const decoded = decodeTransaction(unconfirmedTransaction(salt))
  const { prevout } = Result.getOrThrow(decoded as Result.Result<Transaction, unknown>).inputs[0]!
  return Uint8Array.of(...prevout.txid, prevout.vout & 255, prevout.vout >> 8, 0, 0)
}

const filterFor = (...items: ReadonlyArray<Uint8Array>): Message => {
  const filter = bloomFilter({ filter: new Uint8Array(500), hashFunctions: 10, tweak: 3, flags: 0 })
  for (const item of items) addToFilter(filter, item)
  return filterload(filter.bits, 10)
}

const offering = (permissions: PeerPermissions = new Set()) =>
  makeNode({ services: NETWORK | WITNESS | BLOOM, permissions })

/** Which of these transactions were announced to a peer, by their salts. */
const announced = ({ received }: ScriptedPeer, node: TestNode, salts: ReadonlyArray<number>): ReadonlyArray<number> => {
  const said = received.filter(({ command }) => command === "inv").map(({ payload }) => hex(payload)).join()
  return salts.filter((salt) => said.includes(hex(idOf(node, salt))))
}

const idOf = (node: TestNode, salt: number): Uint8Array => {
  const bytes = hex(unconfirmedTransaction(salt))
  return [...node.chain.poolByTxid.values()].find((each) => hex(each.bytes) === bytes)!.wtxid
}

/** Lets all announcements that are due be made: each has to look at transactions first. */
const announceAll = Effect.fnUntraced(function*(node: TestNode, steps = 8) {
  for (let i = 0; i < steps; i++) {
    node.pass(STEP, STEP)
    yield* settle
  }
})

describe("a peer with a bloom filter", () => {
  it.effect("is announced what matches, as long as it has the filter, whatever it said before", () =>
    Effect.gen(function*() {
      const node = yield* offering()
      const peers = [yield* peerOf(node), yield* peerOf(node, { relay: 0 })]
      const [, silent] = peers
      node.enter(unconfirmedTransaction(1))
      yield* announceAll(node)
      assert.deepStrictEqual(announced(silent!, node, [1]), [])
      assert.isFalse(node.relay.figures(node.peers.get(1)!).isAnnouncedTo)
      for (const peer of peers) {
        peer.say(filterFor(outpoint(3)))
        yield* settle
      }
      assert.isTrue(node.relay.figures(node.peers.get(1)!).isAnnouncedTo)
      for (const salt of [2, 3, 4]) node.enter(unconfirmedTransaction(salt))
      yield* announceAll(node)
      for (const peer of peers) assert.deepStrictEqual(announced(peer, node, [2, 3, 4]), [3])
      for (const peer of peers) {
        peer.say({ command: "filteradd", data: outpoint(5) })
        yield* settle
      }
      for (const salt of [5, 6]) node.enter(unconfirmedTransaction(salt))
      yield* announceAll(node)
      for (const peer of peers) assert.deepStrictEqual(announced(peer, node, [5, 6]), [5])
      for (const peer of peers) {
        peer.say({ command: "filterclear" })
        yield* settle
      }
      node.enter(unconfirmedTransaction(7))
      yield* announceAll(node)
      for (const peer of peers) assert.deepStrictEqual(announced(peer, node, [7]), [7])
    }))

  it.effect("gets of the mempool what matches and pays its fee filter, all of it at once", () =>
    Effect.gen(function*() {
      const node = yield* offering(new Set(["mempool"]))
      const salts = Array.from({ length: 300 }, (_, i) => i + 1)
      for (const salt of salts) node.enter(unconfirmedTransaction(salt), salt === 7 ? 1n : 10_000n)
      const peer = yield* peerOf(node)
      peer.say({ command: "feefilter", feerate: 1_000n }, filterFor(...[7, 8, 200, 299].map(outpoint)))
      yield* settle
      node.relay.announcePool(node.peers.get(0)!)
      yield* announceAll(node)
      assert.deepStrictEqual(announced(peer, node, salts), [8, 200, 299])
      // 299 pay the fee filter; the one that does not is in the first batch.
      assert.deepStrictEqual(node.chain.batches, [49, 50, 50, 50, 50, 50])
    }))

  it.effect("does not keep others from their announcements, however long its queue is", () =>
    Effect.gen(function*() {
      const node = yield* offering()
      const [filtered, other] = [yield* peerOf(node), yield* peerOf(node)]
      filtered.say(filterFor(outpoint(1_990)))
      yield* settle
      const salts = Array.from({ length: 2_000 }, (_, i) => i + 1)
      for (const salt of salts) node.enter(unconfirmedTransaction(salt))
      yield* announceAll(node, 60)
      assert.deepStrictEqual(announced(filtered, node, salts), [1_990])
      assert.strictEqual(announced(other, node, salts).length, salts.length)
      assert.strictEqual(node.relay.figures(node.peers.get(0)!).waiting, 0)
    }), patience(60_000))
})

describe("messages about bloom filters", () => {
  it.effect("are held to the limits; what exceeds them is misbehavior, and leaves the filter as it was", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [what: string, allowed: boolean, ...messages: ReadonlyArray<Message>]> = [
        ["36,000 bytes", true, filterload(new Uint8Array(36_000), 1)],
        ["36,001 bytes", false, filterload(new Uint8Array(36_001), 1)],
        ["50 functions", true, filterload(new Uint8Array(1), 50)],
        ["51 functions", false, filterload(new Uint8Array(1), 51)],
        ["4,294,967,295 functions", false, filterload(new Uint8Array(0), 0xffffffff)],
        ["no bits", true, filterload(new Uint8Array(0), 1), { command: "filteradd", data: new Uint8Array(5) }],
        ["520 bytes added", true, filterload(new Uint8Array(1), 1), {
          command: "filteradd",
          data: new Uint8Array(520)
        }],
        ["521 bytes added", false, filterload(new Uint8Array(1), 1), {
          command: "filteradd",
          data: new Uint8Array(521)
        }],
        ["added to no filter", false, { command: "filteradd", data: new Uint8Array(1) }],
        ["added after it was removed", false, filterload(new Uint8Array(1), 1), { command: "filterclear" }, {
          command: "filteradd",
          data: new Uint8Array(1)
        }],
        ["removed twice", true, { command: "filterclear" }, { command: "filterclear" }]
      ]
      for (const [what, allowed, ...messages] of cases) {
        const node = yield* offering()
        const peer = yield* peerOf(node)
        peer.say(...messages)
        yield* settle
        assert.strictEqual(peer.is.closed, !allowed, what)
        assert.strictEqual(node.discouraged.length, allowed ? 0 : 1, what)
      }
    }))

  it.effect("that are cut off change nothing", () =>
    Effect.gen(function*() {
      const node = yield* offering()
      const peer = yield* peerOf(node)
      peer.sayPayload("filterload", Uint8Array.of(3, 1, 2))
      peer.sayPayload("filteradd", Uint8Array.of(0xfd))
      yield* settle
      assert.isFalse(peer.is.closed)
      node.enter(unconfirmedTransaction(1))
      yield* announceAll(node)
      assert.deepStrictEqual(announced(peer, node, [1]), [1])
    }))

  it.effect("end the connection where filters are not offered, also cut off, unless the operator permits them", () =>
    Effect.gen(function*() {
      for (const command of ["filterload", "filteradd", "filterclear"]) {
        const node = yield* makeNode()
        const peer = yield* peerOf(node)
        peer.sayPayload(command, Uint8Array.of(9))
        yield* settle
        assert.isTrue(peer.is.closed)
        assert.deepStrictEqual(node.discouraged, [])
      }
      const node = yield* makeNode({ permissions: new Set(["bloomfilter"] as const) })
      const peer = yield* peerOf(node)
      assert.strictEqual(peer.last("version").services & BLOOM, BLOOM)
      peer.say(filterFor(outpoint(1)))
      yield* settle
      assert.isFalse(peer.is.closed)
      assert.isDefined(node.relay.filterOf(node.peers.get(0)!))
    }))
})
