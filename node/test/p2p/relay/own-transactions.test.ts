import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { unbroadcast } from "../../../src/p2p/relay/unbroadcast.ts"
import { seededRandom } from "../../../src/p2p/seeded-random.ts"
import { settle } from "../peer/scripted-peer.ts"
import { unconfirmedTransaction, pooled } from "./pool-transaction.ts"
import { hashesOf, hex, makeNode, peerOf } from "./relay-node.ts"

const MINUTE = 60_000
const { WTX } = InventoryType

describe("transactions of this node itself", () => {
  it.effect("are announced again to peers that do not know them, until one is requested", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      node.pass(1_000)
      const own = node.enter(unconfirmedTransaction(1))
      const first = yield* peerOf(node)
      node.pass(9 * MINUTE)
      assert.notInclude(first.commands(), "inv")
      node.pass(7 * MINUTE)
      assert.deepStrictEqual(hashesOf(first, "inv"), [`${WTX}:${hex(own.wtxid)}`])
      first.news()
      const second = yield* peerOf(node)
      node.pass(16 * MINUTE)
      assert.deepStrictEqual(hashesOf(second, "inv"), [`${WTX}:${hex(own.wtxid)}`])
      assert.notInclude(first.news(), "inv")
      node.relay.transactionSent(own)
      const third = yield* peerOf(node)
      node.pass(31 * MINUTE)
      assert.notInclude(third.commands(), "inv")
    }))

  it.effect("are not announced again once they left the mempool; those of others never are", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const teller = yield* peerOf(node)
      const theirs = unconfirmedTransaction(2)
      teller.say({ command: "inv", inventory: [{ type: WTX, hash: pooled(theirs).wtxid }] })
      yield* settle
      const own = node.enter(unconfirmedTransaction(1))
      node.enter(theirs)
      node.chain.unpool(own, "block")
      // Whoever puts it back after a reorganisation, say, does not make it the news that it was.
      node.chain.pool(own)
      const late = yield* peerOf(node)
      node.pass(31 * MINUTE)
      assert.notInclude(late.commands(), "inv")
    }))
})

describe("rebroadcasts of unrequested transactions", () => {
  it("come ten to fifteen minutes apart, at unpredictable times", () => {
    const waiting = unbroadcast(seededRandom(1))
    waiting.add(pooled(unconfirmedTransaction(1)))
    const rounds: Array<number> = []
    for (let now = 0; now < 1_000 * MINUTE; now += 1_000) waiting.tick(now, () => rounds.push(now))
    const waits = rounds.map((at, i) => at - (rounds[i - 1] ?? 0))
    for (const wait of waits) assert.isTrue(wait >= 10 * MINUTE && wait <= 15 * MINUTE + 1_000, `${wait}`)
    assert.isAbove(new Set(waits).size, waits.length / 2)
  })

  it("are about 1,000 transactions at most; the oldest make way", () => {
    const waiting = unbroadcast(seededRandom(2))
    const all = Array.from({ length: 1_005 }, (_, i) => pooled(unconfirmedTransaction(i)))
    for (const each of all) waiting.add(each)
    const told: Array<unknown> = []
    waiting.tick(0, (each) => told.push(each))
    waiting.tick(15 * MINUTE, (each) => told.push(each))
    assert.deepStrictEqual(told, all.slice(5))
  })
})
