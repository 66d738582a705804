import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { scanTransaction } from "../../../src/p2p/relay/scan-transaction.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { settle } from "../peer/scripted-peer.ts"
import { unconfirmedTransaction, pooled } from "./pool-transaction.ts"
import { hashesOf, hex, makeNode, peerOf } from "./relay-node.ts"

const SECOND = 1_000
const { WITNESS_TX } = InventoryType

describe("judging transactions", () => {
  it.effect("one that was not requested is judged; one that is rejected is not judged again until there is another tip", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const bytes = unconfirmedTransaction(1)
      node.chain.judge(() => ({ _tag: "Refused", reason: "min relay fee not met" }))
      peer.sayPayload("tx", bytes)
      peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.chain.judged.length, 1)
      assert.isFalse(peer.is.closed)
      const { tip } = node.chain.tree
      node.chain.notify("tip", tip, tip, false)
      peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.chain.judged.length, 2)
    }))

  it.effect("one too large to be relayed is not even decoded", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      peer.sayPayload("tx", unconfirmedTransaction(1, undefined, 400_000))
      peer.sayPayload("tx", Uint8Array.of(2, 0, 0, 0, 1))
      yield* settle
      assert.deepStrictEqual(node.chain.judged, [])
      assert.isFalse(peer.is.closed)
    }))

  it.effect("one too large to be standard is judged where transactions need not be standard", () =>
    Effect.gen(function*() {
      const node = yield* makeNode({ takesNonStandard: true })
      const peer = yield* peerOf(node)
      peer.sayPayload("tx", unconfirmedTransaction(1, undefined, 400_001))
      yield* settle
      assert.strictEqual(node.chain.judged.length, 1)
    }))

  it.effect("one of more than a megabyte is judged where it need not be standard, and never held against its sender, up to the largest message", () =>
    Effect.gen(function*() {
      for (const takesNonStandard of [false, true]) {
        const node = yield* makeNode({ takesNonStandard })
        const peer = yield* peerOf(node)
        for (const size of [1_000_000, 3_999_000]) peer.sayPayload("tx", unconfirmedTransaction(1, undefined, size))
        yield* settle
        assert.lengthOf(node.chain.judged, takesNonStandard ? 2 : 0)
        assert.isFalse(peer.is.closed)
        peer.sayPayload("tx", unconfirmedTransaction(1, undefined, 4_000_000))
        yield* settle
        assert.isTrue(peer.is.closed)
      }
    }))

  it.effect("one too large that was asked for by txid is awaited no more", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node, { wtxid: false })
      const bytes = unconfirmedTransaction(1, undefined, 400_001)
      const { txid } = scanTransaction(bytes, testCrypto)!
      peer.say({ command: "inv", inventory: [{ type: 1, hash: txid }] })
      yield* settle
      node.pass(5_000)
      assert.strictEqual(node.relay.inFlight(node.peers.get(0)!), 1)
      peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.relay.inFlight(node.peers.get(0)!), 0)
    }))

  it.effect("an orphan: its parent is asked for, and it is judged again when the parent has come", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const parent = unconfirmedTransaction(1)
      const child = unconfirmedTransaction(2, pooled(parent).txid)
      node.chain.judge((bytes) => {
        if (bytes.length === child.length && Buffer.compare(bytes, child) === 0 && node.chain.poolByTxid.size === 0) {
          return { _tag: "MissingInputs", parents: [pooled(parent).txid] }
        }
        const transaction = pooled(bytes)
        node.chain.pool(transaction)
        node.chain.notify("transactionAdded", transaction, true)
        return { _tag: "Accepted" }
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

  it.effect("a peer's orphans are judged again before its next message is looked at", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const parent = unconfirmedTransaction(1)
      const children = [2, 3, 4, 5].map((salt) => unconfirmedTransaction(salt, pooled(parent).txid))
      // Waits for the last child only.
      const grandchild = unconfirmedTransaction(6, pooled(children.at(-1)!).txid)
      const parentOf = (bytes: Uint8Array) => bytes.slice(7, 39)
      const pongs: Array<number> = []
      node.chain.judge((bytes) => {
        pongs.push(peer.commands().filter((command) => command === "pong").length)
        const isParent = Buffer.compare(bytes, parent) === 0
        if (!isParent && !node.chain.poolByTxid.has(hex(parentOf(bytes)))) {
          return { _tag: "MissingInputs", parents: [parentOf(bytes)] }
        }
        return { _tag: "Accepted", transaction: node.enter(bytes) }
      })
      for (const bytes of [...children, grandchild]) peer.sayPayload("tx", bytes)
      yield* settle
      peer.sayPayload("tx", parent)
      peer.say({ command: "ping", nonce: 7n })
      yield* settle
      assert.strictEqual(node.chain.poolByTxid.size, 6)
      assert.deepStrictEqual(pongs, Array.from({ length: 11 }, () => 0))
      assert.include(peer.commands(), "pong")
    }))

  it.effect("orphans of others do not delay a peer's messages, and are judged all the same", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [sender, peer] = [yield* peerOf(node), yield* peerOf(node)]
      const parent = unconfirmedTransaction(1)
      const children = Array.from({ length: 20 }, (_, i) => unconfirmedTransaction(2 + i, pooled(parent).txid))
      let judgedAtPong = 0
      node.chain.judge((bytes) => {
        if (!peer.commands().includes("pong")) judgedAtPong = node.chain.judged.length
        const isThere = Buffer.compare(bytes, parent) === 0 || node.chain.poolByTxid.size > 0
        return isThere
          ? { _tag: "Accepted", transaction: node.enter(bytes) }
          : { _tag: "MissingInputs", parents: [pooled(parent).txid] }
      })
      for (const bytes of children) sender.sayPayload("tx", bytes)
      yield* settle
      peer.sayPayload("tx", parent)
      peer.say({ command: "ping", nonce: 7n })
      yield* settle
      assert.strictEqual(node.chain.poolByTxid.size, 21)
      assert.isBelow(judgedAtPong, 40)
    }))

  it.effect("an orphan whose parent was refused is refused", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const parent = unconfirmedTransaction(1)
      const { wtxid } = pooled(parent)
      const child = unconfirmedTransaction(2, wtxid)
      node.chain.judge((bytes) =>
        Buffer.compare(bytes, child) === 0
          ? { _tag: "MissingInputs", parents: [wtxid] }
          : { _tag: "Refused", reason: "dust" }
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
