import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { settle } from "../peer/scripted-peer.ts"
import { bareTransaction, unconfirmedTransaction, pooled } from "./pool-transaction.ts"
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
          ? { _tag: "Refused", reason: "dust", isConsensus: false }
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
          : { _tag: "Refused", reason: `${SCRIPT} (Invalid Schnorr signature)`, isConsensus: false }
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

  it.effect.each(
    [
      ["Witness program was passed an empty witness", 2],
      ["Witness program hash mismatch", 2],
      ["Script evaluated without error but finished with a false/empty top stack element", 1]
    ] as const
  )("without a witness, %s: judged %i times of two", ([text, times]) =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const bytes = bareTransaction(1)
      node.chain.judge(() => ({ _tag: "Refused", reason: `${SCRIPT} (${text})`, isConsensus: false }))
      peer.sayPayload("tx", bytes)
      peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.chain.judged.length, times)
    }))

  it.effect("an orphan of many parents is kept, and all of them are asked for", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const parents = Array.from({ length: 40 }, (_, i) => pooled(unconfirmedTransaction(100 + i)).txid)
      const child = unconfirmedTransaction(1)
      node.judgeByParents(() => parents)
      peer.sayPayload("tx", child)
      yield* settle
      node.pass(10 * SECOND)
      assert.strictEqual(node.relay.sizes().orphans, 1)
      assert.sameMembers([...askedOf(peer)], parents.map((txid) => `${WITNESS_TX}:${hex(txid)}`))
    }))
})

describe("what was in a block", () => {
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
      // Its parent came another way, and so did it itself.
      node.chain.unpool(node.enter(bytes), "block")
      assert.strictEqual(node.relay.sizes().orphans, 0)
      node.chain.tell("tip", tip, tip, false)
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
      const [confirmed, rival, child, other] = [
        unconfirmedTransaction(1, parent),
        unconfirmedTransaction(1, parent, 2),
        unconfirmedTransaction(0, pooled(unconfirmedTransaction(1, parent)).txid),
        unconfirmedTransaction(2, parent)
      ]
      node.judgeByParents((bytes) => [bytes.slice(7, 39)])
      for (const bytes of [confirmed, rival, child, other]) peer.sayPayload("tx", bytes)
      yield* settle
      assert.strictEqual(node.relay.sizes().orphans, 4)
      const { txid, wtxid } = pooled(confirmed)
      // Its only input follows the version, the marker, the flag and the count.
      node.chain.tell("confirmed", { txids: txid, wtxids: wtxid, spent: confirmed.slice(7, 43) })
      yield* settle
      assert.strictEqual(node.relay.sizes().orphans, 2)
      // Its parent came with the block.
      assert.deepStrictEqual(node.chain.judged.at(-1), child)
      peer.say({
        command: "inv",
        inventory: [confirmed, rival].map((bytes) => ({ type: WTX, hash: pooled(bytes).wtxid }))
      })
      yield* settle
      node.pass(10 * SECOND)
      assert.notInclude(askedOf(peer), `${WTX}:${hex(wtxid)}`)
      assert.include(askedOf(peer), `${WTX}:${hex(pooled(rival).wtxid)}`)
    }))
})
