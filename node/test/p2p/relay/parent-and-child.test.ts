import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import type { PackageOutcome } from "../../../src/p2p/chain/p2p-chain.ts"
import { settle } from "../peer/scripted-peer.ts"
import { type Judgement, outcomeOf } from "../peer/still-mempool.ts"
import { bareTransaction, pooled, spendingTransaction, unconfirmedTransaction } from "./pool-transaction.ts"
import { askedOf, hex, makeNode, peerOf, type TestNode } from "./relay-node.ts"

const SECOND = 1_000
const { WITNESS_TX, WTX } = InventoryType

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

const parent = unconfirmedTransaction(1)
const child = unconfirmedTransaction(2, pooled(parent).txid)
const younger = unconfirmedTransaction(3, pooled(parent).txid)
const grandchild = unconfirmedTransaction(4, pooled(child).txid)

const TOO_LITTLE: Judgement = { _tag: "Refused", reason: "min relay fee not met", what: "reconsiderable" }

/** A node to which a parent pays too little, and children are orphans while their parents are not in its mempool. */
const started = Effect.gen(function*() {
  const node = yield* makeNode()
  node.chain.judge((bytes) => {
    if (isSame(bytes, parent)) return TOO_LITTLE
    const spent = bytes.slice(7, 39)
    if (!node.chain.mempool.has("txid", spent)) return { _tag: "MissingInputs", parents: [spent] }
    node.enter(bytes)
    return { _tag: "Accepted" }
  })
  return node
})

/** Both enter the mempool. */
const taken = (node: TestNode) => (transactions: ReadonlyArray<Uint8Array>): PackageOutcome => {
  for (const bytes of transactions) node.enter(bytes)
  return { failure: undefined, outcomes: transactions.map((bytes) => outcomeOf(bytes, { _tag: "Accepted" })) }
}

/** The package fails, and its transactions for these reasons. */
const failed =
  (...reasons: ReadonlyArray<Judgement | undefined>) => (all: ReadonlyArray<Uint8Array>): PackageOutcome => ({
    failure: { reason: "transaction failed", debug: undefined, isPolicy: false },
    outcomes: all.map((bytes, i) => reasons[i] === undefined ? undefined : outcomeOf(bytes, reasons[i]))
  })

describe("a parent that pays too little by itself", () => {
  it.effect("is judged with the child that waits for it, and what waits for the child follows", () =>
    Effect.gen(function*() {
      const node = yield* started
      node.chain.judgePackage(taken(node))
      const peer = yield* peerOf(node)
      for (const bytes of [grandchild, child, parent]) peer.sayPayload("tx", bytes)
      yield* settle
      assert.deepStrictEqual(node.chain.judgedPackages, [[parent, child]])
      assert.strictEqual(node.chain.mempool.size(), 3)
      assert.deepStrictEqual(node.relay.sizes(), { announcements: 0, orphans: 0 })
    }))

  it.effect("is not asked for again when it is announced, but as the parent of a child, which comes first then", () =>
    Effect.gen(function*() {
      const node = yield* started
      node.chain.judgePackage(taken(node))
      const peer = yield* peerOf(node)
      peer.sayPayload("tx", parent)
      yield* settle
      peer.say({ command: "inv", inventory: [{ type: WTX, hash: pooled(parent).wtxid }] })
      yield* settle
      node.pass(10 * SECOND)
      assert.deepStrictEqual(askedOf(peer), [])
      peer.sayPayload("tx", child)
      yield* settle
      node.pass(10 * SECOND)
      assert.deepStrictEqual(askedOf(peer), [`${WITNESS_TX}:${hex(pooled(parent).txid)}`])
      peer.sayPayload("tx", parent)
      yield* settle
      assert.deepStrictEqual(node.chain.judgedPackages, [[parent, child]])
      assert.strictEqual(node.chain.judged.length, 2, "it is not judged by itself again")
      assert.strictEqual(node.chain.mempool.size(), 2)
    }))

  it.effect("is tried with the newest child of the same peer, and with one that failed with it never again", () =>
    Effect.gen(function*() {
      const node = yield* started
      node.chain.judgePackage(failed(TOO_LITTLE, { _tag: "MissingInputs", parents: [] }))
      const [peer, other] = [yield* peerOf(node), yield* peerOf(node)]
      for (const bytes of [child, younger]) peer.sayPayload("tx", bytes)
      yield* settle
      other.sayPayload("tx", parent)
      yield* settle
      assert.deepStrictEqual(node.chain.judgedPackages, [], "the other peer has no child")
      for (let i = 0; i < 3; i++) {
        peer.sayPayload("tx", parent)
        yield* settle
      }
      assert.deepStrictEqual(node.chain.judgedPackages, [[parent, younger], [parent, child]])
      assert.strictEqual(node.relay.sizes().orphans, 2)
      const { tip } = node.chain.tree
      node.chain.notify("tip", tip, tip, false)
      peer.sayPayload("tx", parent)
      yield* settle
      assert.deepStrictEqual(node.chain.judgedPackages.slice(2), [[parent, younger]], "another tip, another try")
    }))

  it.effect("takes a child along that is rejected for good, and leaves one that was not judged", () =>
    Effect.gen(function*() {
      const node = yield* started
      node.chain.judgePackage(failed(TOO_LITTLE, { _tag: "Refused", reason: "bad", what: "consensus" }))
      const peer = yield* peerOf(node)
      for (const bytes of [child, parent, child]) peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.relay.sizes().orphans, 0)
      assert.strictEqual(node.chain.judged.length, 2, "the child is not judged again")
      node.chain.judgePackage(failed(undefined, undefined))
      for (const bytes of [younger, parent]) peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.chain.judgedPackages.length, 2)
      assert.strictEqual(node.relay.sizes().orphans, 1)
    }))

  it.effect("that is rejected for good with a child takes all its children along", () =>
    Effect.gen(function*() {
      const node = yield* started
      const plain = bareTransaction(9)
      const heir = unconfirmedTransaction(5, pooled(plain).txid)
      node.chain.judge((bytes) => isSame(bytes, plain) ? TOO_LITTLE : { _tag: "MissingInputs", parents: [] })
      node.chain.judgePackage(failed({ _tag: "Refused", reason: "bad", what: "not standard" }))
      const peer = yield* peerOf(node)
      for (const bytes of [heir, plain]) peer.sayPayload("tx", bytes)
      yield* settle
      const another = unconfirmedTransaction(6, pooled(plain).txid)
      peer.sayPayload("tx", another)
      yield* settle
      peer.say({ command: "inv", inventory: [{ type: WTX, hash: pooled(another).wtxid }] })
      yield* settle
      node.pass(10 * SECOND)
      assert.notInclude(askedOf(peer), `${WTX}:${hex(pooled(another).wtxid)}`)
      assert.strictEqual(node.relay.sizes().orphans, 1)
    }))
})

describe("a child of two parents that pay too little", () => {
  it.effect("is rejected: only one of them could be paid for", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [first, second] = [bareTransaction(1), bareTransaction(2)]
      const both = [first, second].map((bytes) => pooled(bytes).txid)
      node.chain.judge((bytes) => bytes.length > 100 ? { _tag: "MissingInputs", parents: both } : TOO_LITTLE)
      const peer = yield* peerOf(node)
      for (const bytes of [first, second]) peer.sayPayload("tx", bytes)
      const heir = spendingTransaction(3, both.map((txid) => ({ txid, vout: 0 })))
      peer.sayPayload("tx", heir)
      yield* settle
      node.pass(10 * SECOND)
      assert.strictEqual(node.relay.sizes().orphans, 0)
      assert.deepStrictEqual(askedOf(peer), [])
      peer.say({ command: "inv", inventory: [{ type: WTX, hash: pooled(heir).wtxid }] })
      yield* settle
      node.pass(10 * SECOND)
      assert.deepStrictEqual(askedOf(peer), [])
    }))
})
