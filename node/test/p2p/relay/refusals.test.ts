import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import type { RelayRejectionClass } from "@lockstep/protocol/rejection/relay-class.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { settle } from "../peer/scripted-peer.ts"
import { bareTransaction, pooled, spendingTransaction, unconfirmedTransaction } from "./pool-transaction.ts"
import { askedOf, hex, makeNode, peerOf } from "./relay-node.ts"

const SECOND = 1_000
const { TX, WITNESS_TX, WTX } = InventoryType

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

const SCRIPT = "mempool-script-verify-flag-failed"

describe("what is remembered of a refused transaction", () => {
  it.effect("both ids where a parent was rejected: children are rejected too, and requested from no peer by either id", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [peer, plain] = [yield* peerOf(node), yield* peerOf(node, { wtxid: false })]
      const parent = bareTransaction(1)
      const child = unconfirmedTransaction(2, pooled(parent).txid)
      const grandchild = unconfirmedTransaction(3, pooled(child).txid)
      const parentOf = (bytes: Uint8Array) => isSame(bytes, child) ? parent : child
      node.chain.judge((bytes) =>
        isSame(bytes, parent)
          ? { _tag: "Refused", reason: "dust" }
          : { _tag: "MissingInputs", parents: [pooled(parentOf(bytes)).txid] }
      )
      for (const bytes of [parent, child, grandchild]) peer.sayPayload("tx", bytes)
      plain.say({ command: "inv", inventory: [{ type: TX, hash: pooled(child).txid }] })
      peer.say({ command: "inv", inventory: [{ type: WTX, hash: pooled(grandchild).wtxid }] })
      yield* settle
      node.pass(10 * SECOND)
      assert.strictEqual(node.relay.sizes().orphans, 0)
      assert.deepStrictEqual([askedOf(peer), askedOf(plain)], [[], []])
    }))

  it.effect("the witness id alone else: the same transaction with another witness may be good", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [peer, plain] = [yield* peerOf(node), yield* peerOf(node, { wtxid: false })]
      const [bad, good] = [unconfirmedTransaction(1), unconfirmedTransaction(1, undefined, 2)]
      const { txid } = pooled(good)
      node.chain.judge((bytes) =>
        isSame(bytes, good)
          ? { _tag: "Accepted", transaction: node.enter(bytes) }
          : { _tag: "Refused", reason: `${SCRIPT} (Invalid Schnorr signature)` }
      )
      plain.say({ command: "inv", inventory: [{ type: TX, hash: txid }] })
      peer.sayPayload("tx", bad)
      yield* settle
      node.pass(10 * SECOND)
      assert.deepStrictEqual(askedOf(plain), [`${WITNESS_TX}:${hex(txid)}`])
      plain.sayPayload("tx", good)
      yield* settle
      assert.strictEqual(node.chain.poolByTxid.size, 1)
    }))

  it.effect.each<readonly [what: RelayRejectionClass, times: number]>([
    ["witness stripped", 2],
    ["witness mutated", 1],
    ["not standard", 1],
    ["inputs not standard", 1],
    ["mempool policy", 1],
    ["conflict", 1],
    ["premature spend", 1],
    ["consensus", 1],
    ["reconsiderable", 1]
  ])("%s: judged %i times of two, and again after another tip", ([what, times]) =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const bytes = bareTransaction(1)
      node.chain.judge(() => ({ _tag: "Refused", reason: "whatever", what }))
      peer.sayPayload("tx", bytes)
      peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.chain.judged.length, times)
      assert.isFalse(peer.is.closed)
      const { tip } = node.chain.tree
      node.chain.notify("tip", tip, tip, false)
      peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.chain.judged.length, times + 1)
    }))

  it.effect("the txid, too, where what it spends is at fault and not its witness", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [peer, plain] = [yield* peerOf(node), yield* peerOf(node, { wtxid: false })]
      const [odd, other] = [unconfirmedTransaction(1), unconfirmedTransaction(2)]
      node.chain.judge((bytes) => ({
        _tag: "Refused",
        reason: "whatever",
        what: isSame(bytes, odd) ? "inputs not standard" : "not standard"
      }))
      for (const bytes of [odd, other]) peer.sayPayload("tx", bytes)
      yield* settle
      plain.say({ command: "inv", inventory: [odd, other].map((bytes) => ({ type: TX, hash: pooled(bytes).txid })) })
      yield* settle
      node.pass(10 * SECOND)
      assert.deepStrictEqual(askedOf(plain), [`${WITNESS_TX}:${hex(pooled(other).txid)}`])
    }))

  it.effect("an orphan of many parents is kept, and all of them are asked for", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const parents = Array.from({ length: 40 }, (_, i) => pooled(unconfirmedTransaction(100 + i)).txid)
      const child = spendingTransaction(1, parents.map((txid) => ({ txid, vout: 0 })))
      node.judgeByParents(() => parents)
      peer.sayPayload("tx", child)
      yield* settle
      node.pass(10 * SECOND)
      assert.strictEqual(node.relay.sizes().orphans, 1)
      assert.sameMembers([...askedOf(peer)], parents.map((txid) => `${WITNESS_TX}:${hex(txid)}`))
    }))
})

describe("what was in a block", () => {
  const block = (...transactions: ReadonlyArray<Uint8Array>) => ({
    txids: concatBytes(transactions.map((bytes) => pooled(bytes).txid)),
    wtxids: concatBytes(transactions.map((bytes) => pooled(bytes).wtxid)),
    // Their only input follows the version, the marker, the flag and the count.
    spent: concatBytes(transactions.map((bytes) => bytes.subarray(7, 43)))
  })

  it.effect("is not asked for by either id, also after a reorganisation that put it there, and is no orphan any more", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [peer, plain] = [yield* peerOf(node), yield* peerOf(node, { wtxid: false })]
      const bytes = unconfirmedTransaction(1)
      const { txid, wtxid } = pooled(bytes)
      node.chain.judge(() => ({ _tag: "MissingInputs", parents: [new Uint8Array(32).fill(7)] }))
      peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.relay.sizes().orphans, 1)
      const { tip } = node.chain.tree
      node.chain.notify("confirmed", block(bytes))
      assert.strictEqual(node.relay.sizes().orphans, 0)
      node.chain.notify("tip", tip, tip, false)
      for (let i = 0; i < 2; i++) {
        peer.say({ command: "inv", inventory: [{ type: WTX, hash: wtxid }] })
        plain.say({ command: "inv", inventory: [{ type: TX, hash: txid }] })
        yield* settle
        node.pass(10 * SECOND)
      }
      assert.deepStrictEqual(
        [askedOf(peer), askedOf(plain)].map((all) =>
          all.filter((each) => each.endsWith(hex(txid)) || each.endsWith(hex(wtxid)))
        ),
        [[], []]
      )
    }))

  it.effect("though it never was in the pool; what spends the same is no orphan any more either", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const parent = pooled(unconfirmedTransaction(100)).txid
      const spent = (vout: number) => [{ txid: parent, vout }]
      const [confirmed, rival, other] = [
        spendingTransaction(1, spent(1)),
        spendingTransaction(1, spent(1), 2),
        spendingTransaction(2, spent(2))
      ]
      const child = unconfirmedTransaction(0, pooled(confirmed).txid)
      node.judgeByParents((bytes) => [bytes.slice(7, 39)])
      for (const bytes of [confirmed, rival, child, other]) peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.relay.sizes().orphans, 4)
      node.chain.notify("confirmed", block(confirmed))
      yield* settle
      assert.deepStrictEqual(
        node.relay.orphans().map(({ transaction }) => hex(transaction.wtxid)),
        [child, other].map((bytes) => hex(pooled(bytes).wtxid)).toSorted(),
        "a parent in a block is no reason to try the child again"
      )
      assert.strictEqual(node.chain.judged.length, 4)
      peer.say({
        command: "inv",
        inventory: [confirmed, rival].map((bytes) => ({ type: WTX, hash: pooled(bytes).wtxid }))
      })
      yield* settle
      node.pass(10 * SECOND)
      assert.notInclude(askedOf(peer), `${WTX}:${hex(pooled(confirmed).wtxid)}`)
      assert.include(askedOf(peer), `${WTX}:${hex(pooled(rival).wtxid)}`)
    }))
})
