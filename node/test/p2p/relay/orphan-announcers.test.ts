import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { RELAY_LIMITS } from "../../../src/p2p/relay/relay-limits.ts"
import { settle } from "../peer/scripted-peer.ts"
import { pooled, spendingTransaction, unconfirmedTransaction } from "./pool-transaction.ts"
import { askedOf, hashesOf, hex, makeNode, peerOf } from "./relay-node.ts"

const SECOND = 1_000
const { WITNESS_TX, WTX } = InventoryType

const [first, second] = [unconfirmedTransaction(1), unconfirmedTransaction(2)]
const parents = [pooled(first).txid, pooled(second).txid]
const child = spendingTransaction(3, parents.map((txid) => ({ txid, vout: 0 })))

const named = (bytes: Uint8Array) => ({
  command: "inv" as const,
  inventory: [{ type: WTX, hash: pooled(bytes).wtxid }]
})
const byTxid = (bytes: Uint8Array) => `${WITNESS_TX}:${hex(pooled(bytes).txid)}`

/** A node that waits for the parents of a child which the first of two peers sent. */
const waiting = Effect.gen(function*() {
  const node = yield* makeNode()
  node.judgeByParents((bytes) => Buffer.compare(bytes, child) === 0 ? parents : [])
  const [supplier, other] = [yield* peerOf(node), yield* peerOf(node)]
  supplier.sayPayload("tx", child)
  yield* settle
  return { node, supplier, other }
})

describe("an announcer of an orphan that is here", () => {
  it.effect("is asked for its parents when the one that sent it stays silent", () =>
    Effect.gen(function*() {
      const { node, other, supplier } = yield* waiting
      other.say(named(child))
      yield* settle
      node.pass(5 * SECOND)
      // Who is asked first is chance; a silent one is given up after a minute.
      const wanted = [byTxid(first), byTxid(second)]
      assert.sameMembers([...askedOf(supplier), ...askedOf(other)], wanted)
      node.pass(RELAY_LIMITS.requestTime.most)
      for (const peer of [supplier, other]) assert.sameMembers([...askedOf(peer)], wanted)
    }))

  it.effect("keeps the orphan when the one that sent it leaves, and is asked only for what is still missing", () =>
    Effect.gen(function*() {
      const { node, other, supplier } = yield* waiting
      node.enter(first)
      other.say(named(child))
      yield* settle
      supplier.hangUp()
      yield* settle
      node.pass(5 * SECOND)
      assert.strictEqual(node.relay.sizes().orphans, 1)
      assert.deepStrictEqual(hashesOf(other, "getdata"), [byTxid(second)])
      other.sayPayload("tx", second)
      yield* settle
      assert.strictEqual(node.chain.poolByTxid.size, 3)
    }))

  it.effect("counts while it is judged again, unless it disconnected meanwhile", () =>
    Effect.gen(function*() {
      const { node, other, supplier } = yield* waiting
      const { judge } = node.chain
      let isLater = false
      judge((bytes) => {
        if (Buffer.compare(bytes, child) !== 0) return { _tag: "Accepted", transaction: node.enter(bytes) }
        if (!isLater) {
          isLater = true
          supplier.hangUp()
          other.say(named(child))
        }
        return { _tag: "MissingInputs", parents: parents.slice(1) }
      })
      node.chain.delay(settle)
      supplier.sayPayload("tx", first)
      yield* settle
      yield* settle
      yield* settle
      assert.strictEqual(node.relay.sizes().orphans, 1)
      node.pass(5 * SECOND)
      assert.include(hashesOf(other, "getdata"), byTxid(second))
      other.hangUp()
      yield* settle
      assert.deepStrictEqual(node.relay.sizes(), { announcements: 0, orphans: 0 })
    }))
})
