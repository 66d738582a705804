import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { broadcasts } from "../../src/p2p/broadcasts/broadcasts.ts"
import { dueHeap } from "../../src/p2p/basics/due-heap.ts"
import type { P2pContext } from "../../src/p2p/peer/p2p-context.ts"
import { openConnections } from "../../src/p2p/peer/open-connections.ts"
import type { Peer } from "../../src/p2p/peer/peer.ts"
import { seededRandom } from "../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../src/quantities.ts"
import { scriptedPeer } from "./sync/chain-model.ts"

describe("a heap of what is due", () => {
  it("gives what is due, the earliest first, and of one time what was pushed first", () => {
    const heap = dueHeap<string>()
    assert.deepStrictEqual([heap.popDue(9), heap.first(), heap.size()], [undefined, undefined, 0])
    for (const [at, thing] of [[5, "a"], [3, "b"], [5, "c"], [3, "d"], [4, "e"]] as const) heap.push(at, thing)
    assert.deepStrictEqual([heap.size(), heap.first()?.at, heap.first()?.thing], [5, 3, "b"])
    assert.strictEqual(heap.popDue(2), undefined)
    const given = [3, 3, 3, 4, 5, 5, 5].map((now) => heap.popDue(now))
    assert.deepStrictEqual(given, ["b", "d", undefined, "e", "a", "c", undefined])
    assert.strictEqual(heap.size(), 0)
  })

  it("is in order after things that are not awaited went, whatever was pushed", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 40 }), fc.nat(4), fc.nat(10), (times, modulus, early) => {
        const heap = dueHeap<number>()
        times.forEach((at, i) => heap.push(at, i))
        let expected = times.map((at, i) => ({ at, i })).sort((a, b) => a.at - b.at || a.i - b.i)
        const popped: Array<number> = []
        for (let next = heap.popDue(early); next !== undefined; next = heap.popDue(early)) popped.push(next)
        assert.deepStrictEqual(popped, expected.filter(({ at }) => at <= early).map(({ i }) => i))
        expected = expected.filter(({ at, i }) => at > early && i % (modulus + 1) === 0)
        heap.keep((i) => i % (modulus + 1) === 0)
        assert.strictEqual(heap.size(), expected.length)
        heap.push(3, -1)
        const rest = Array.from({ length: expected.length + 1 }).map(() => heap.popDue(20))
        assert.deepStrictEqual(
          rest,
          [-1, ...expected.map(({ i }) => i)].sort((a, b) => {
            const at = (i: number): number => i === -1 ? 3 : times[i]!
            return at(a!) - at(b!) || (a === -1 ? 1 : b === -1 ? -1 : a! - b!)
          })
        )
      }),
      { numRuns: 60 }
    )
  })
})

describe("a heap of what is due, in use", () => {
  const push = fc.record({ what: fc.constant("push" as const), at: fc.nat(12) })
  const pop = fc.record({ what: fc.constant("pop" as const), at: fc.nat(14) })
  const keep = fc.record({ what: fc.constant("keep" as const), at: fc.integer({ min: 2, max: 5 }) })
  const use = fc.array(fc.oneof({ weight: 6, arbitrary: push }, { weight: 4, arbitrary: pop }, keep), {
    minLength: 20,
    maxLength: 120
  })

  it("gives at every step what a sorted list gives", () => {
    fc.assert(
      fc.property(use, (steps) => {
        const heap = dueHeap<number>()
        let list: ReadonlyArray<{ readonly at: number; readonly i: number }> = []
        for (const [i, { at, what }] of steps.entries()) {
          if (what === "push") {
            heap.push(at, i)
            list = [...list, { at, i }].sort((a, b) => a.at - b.at || a.i - b.i)
          } else if (what === "pop") {
            const [first] = list
            const isDue = first !== undefined && first.at <= at
            assert.strictEqual(heap.popDue(at), isDue ? first.i : undefined)
            if (isDue) list = list.slice(1)
          } else {
            heap.keep((thing) => thing % at !== 0)
            list = list.filter((each) => each.i % at !== 0)
          }
          assert.strictEqual(heap.size(), list.length)
          assert.deepStrictEqual([heap.first()?.at, heap.first()?.thing], [list[0]?.at, list[0]?.i])
        }
        assert.deepStrictEqual(list.map(() => heap.popDue(12)), list.map(({ i }) => i))
      }),
      { numRuns: 100 }
    )
  })
})

describe("a broadcast", () => {
  const made = () => {
    const peers = new Map<number, Peer>()
    const events: Array<unknown> = []
    const clock = { now: 1_000_000 }
    const { begin, tickAll } = broadcasts({
      peers,
      environment: { now: () => unixMilliseconds(clock.now), random: seededRandom(1) },
      notify: { event: (type, payload) => void events.push([type, payload]), log: () => undefined }
    } as Pick<P2pContext, "environment" | "peers" | "notify">)
    const add = (more: Partial<Peer> = {}) => {
      const peer = Object.assign(scriptedPeer(peers.size, "inbound"), more)
      peers.set(peer.id, peer)
      return peer
    }
    return { add, begin, clock, events, peers, tick: () => tickAll!(unixMilliseconds(clock.now)) }
  }
  const HASH = Uint8Array.of(1, ...new Uint8Array(31))
  const SHOWN = `${"00".repeat(31)}01`

  it("goes to the peers that are ready, and ends when none waits any more", () => {
    const { add, begin, events, peers, tick } = made()
    const [one, other] = [add(), add()]
    add({ isReady: false })
    add({ isGone: true })
    const uninterested = add()
    const waiting = new Set<Peer>([one, other])
    begin("block", HASH, (peer) => peer !== uninterested && waiting.has(peer))
    tick()
    assert.deepStrictEqual(events, [["BroadcastStarted", { kind: "block", hash: SHOWN, peers: 2 }]])
    waiting.delete(one)
    tick()
    peers.delete(other.id)
    assert.strictEqual(events.length, 1)
    tick()
    // One that went is none that received it.
    assert.deepStrictEqual(events[1], ["BroadcastCompleted", { kind: "block", hash: SHOWN, peers: 1, failed: 1 }])
    tick()
    assert.strictEqual(events.length, 2)
  })

  it("ends for a peer that is on its way out", () => {
    const { add, begin, events, tick } = made()
    const peer = add()
    begin("transaction", HASH, () => true)
    peer.isGone = true
    tick()
    assert.deepStrictEqual(events[1], [
      "BroadcastCompleted",
      { kind: "transaction", hash: SHOWN, peers: 1, failed: 0 }
    ])
  })

  it("ends after five minutes at the latest", () => {
    const { add, begin, clock, events, tick } = made()
    add()
    begin("block", HASH, () => true)
    clock.now += 299_999
    tick()
    assert.strictEqual(events.length, 1)
    clock.now++
    tick()
    assert.deepStrictEqual(events[1], ["BroadcastCompleted", { kind: "block", hash: SHOWN, peers: 0, failed: 1 }])
  })

  it("is not watched where it goes to no peer, nor beside a hundred others", () => {
    const { add, begin, events, tick } = made()
    add({ isReady: false })
    add({ isGone: true })
    begin("block", HASH, () => true)
    assert.deepStrictEqual(events, [])
    add()
    for (let i = 0; i < 101; i++) begin("block", HASH, () => true)
    assert.strictEqual(events.length, 100)
    tick()
    assert.strictEqual(events.length, 100)
  })
})

describe("open connections", () => {
  it("are those that have not been ended, ready or not", () => {
    const [open, ended, early] = [1, 2, 3].map((id) => scriptedPeer(id, "inbound"))
    Object.assign(ended!, { isGone: true })
    Object.assign(early!, { isReady: false })
    const peers = new Map([open!, ended!, early!].map((peer) => [peer.id, peer]))
    assert.deepStrictEqual(openConnections(peers), [open!, early!])
  })
})
