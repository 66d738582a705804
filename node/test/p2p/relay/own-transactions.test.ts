import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { rebroadcastTimer } from "../../../src/p2p/relay/rebroadcast-timer.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
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
      node.chain.own.push(own.txid)
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
      const live = node.peers.get(0)!
      assert.deepStrictEqual(yield* node.relay.transactionFor(live, { type: WTX, hash: own.wtxid }), own.bytes)
      yield* settle
      assert.deepStrictEqual(node.chain.own, [])
      const third = yield* peerOf(node)
      node.pass(31 * MINUTE)
      assert.notInclude(third.commands(), "inv")
    }))

  it.effect("are announced when that is asked for, and those that left the mempool are not", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [own, gone] = [1, 2].map((salt) => node.enter(unconfirmedTransaction(salt)))
      node.chain.unpool(gone!, "expiry")
      const late = yield* peerOf(node)
      for (const each of [own!, gone!]) node.relay.announce(each.txid)
      node.pass(MINUTE)
      assert.deepStrictEqual(hashesOf(late, "inv"), [`${WTX}:${hex(own!.wtxid)}`])
    }))

  it.effect("are no news when they come back from a disconnected block", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const back = { ...pooled(unconfirmedTransaction(1)), sequence: 0 }
      node.chain.pool(back)
      node.chain.notify("transactionAdded", back, false)
      node.pass(MINUTE)
      assert.notInclude(peer.commands(), "inv")
    }))
})

describe("transactions of the file of the last run", () => {
  it.effect("are no news", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      const saved = pooled(unconfirmedTransaction(1))
      node.chain.pool(saved)
      node.chain.notify("transactionAdded", saved, false)
      node.pass(MINUTE)
      assert.notInclude(peer.commands(), "inv")
    }))
})

describe("rebroadcasts of unrequested transactions", () => {
  it("come ten to fifteen minutes apart, at unpredictable times", () => {
    const isTime = rebroadcastTimer(seededRandom(1), unixMilliseconds(0))
    const rounds: Array<number> = []
    for (let now = 0; now < 1_000 * MINUTE; now += 1_000) if (isTime(unixMilliseconds(now))) rounds.push(now)
    const waits = rounds.map((at, i) => at - (rounds[i - 1] ?? 0))
    for (const wait of waits) assert.isTrue(wait >= 10 * MINUTE && wait <= 15 * MINUTE + 1_000, `${wait}`)
    assert.isAbove(new Set(waits).size, waits.length / 2)
  })

  it("the first of them counts from the start, also when the node is first asked after it was due", () => {
    const isTime = rebroadcastTimer(seededRandom(1), unixMilliseconds(0))
    assert.isTrue(isTime(unixMilliseconds(16 * MINUTE)))
    assert.isFalse(isTime(unixMilliseconds(17 * MINUTE)))
  })
})
