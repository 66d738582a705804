import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import { announcementTurns } from "../../../src/p2p/relay/announcement-turns.ts"
import { type PeerRelay, peerRelay } from "../../../src/p2p/relay/peer-relay.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { idOf } from "./made-orphan.ts"

const at = unixMilliseconds

describe("turns of announcements", () => {
  const made = Effect.fnUntraced(function*() {
    const draws: Array<number> = []
    const context = {
      chain: { mempool: { sequence: () => 9 } },
      environment: {
        random: {
          exponential: (mean: number) => {
            draws.push(mean)
            return 10 * draws.length
          }
        }
      }
    }
    const turns = yield* announcementTurns(context as unknown as P2pContext, new Map())
    const add = (kind: "inbound" | "outbound-full-relay", local?: string, first = 10) => {
      const peer = scriptedPeer(1, kind, undefined, 0, first)
      Object.assign(peer, { local: local === undefined ? undefined : endpoint(local) })
      const to = peerRelay(peer, true, false, seededRandom(1))
      turns.begin(to, at(0))
      return to
    }
    return { add, draws, turns }
  })

  it.effect("come at one time to inbound peers of one endpoint and network, to others at their own", () =>
    Effect.gen(function*() {
      const { add, draws, turns } = yield* made()
      const peers = [
        add("inbound"),
        add("inbound"),
        add("inbound", "1.1.1.1:1"),
        add("inbound", "1.1.1.1:1"),
        add("inbound", "1.1.1.1:2"),
        add("outbound-full-relay"),
        add("outbound-full-relay")
      ]
      assert.deepStrictEqual(peers.map(({ nextTrickle }) => nextTrickle), [10, 10, 20, 20, 30, 40, 50])
      assert.deepStrictEqual(draws, [5_000, 5_000, 5_000, 2_000, 2_000])
      assert.deepStrictEqual(new Set(peers.map(({ poolSequence }) => poolSequence)), new Set([9]))
      const [first, second] = [peers[0]!, peers[1]!]
      first.poolSequence = 1
      turns.tick(first, at(9))
      assert.deepStrictEqual([first.nextTrickle, first.poolSequence], [10, 1])
      turns.tick(first, at(10))
      turns.tick(second, at(11))
      assert.deepStrictEqual([first.nextTrickle, second.nextTrickle, first.poolSequence], [70, 70, 9])
    }))

  it.effect("are not for a peer that may get no transactions, or whose last one is not over", () =>
    Effect.gen(function*() {
      const { add, turns } = yield* made()
      for (const more of [{ mayReceiveTransactions: false }, { isAnnouncing: true }]) {
        const to = add("outbound-full-relay")
        Object.assign(to, more)
        const { nextTrickle } = to
        turns.tick(to, at(1_000))
        assert.strictEqual(to.nextTrickle, nextTrickle)
      }
    }))
})

describe("a turn of announcements", () => {
  const entry = (value: number) => ({
    txid: idOf(value, 1),
    wtxid: idOf(value, 2),
    fee: 9n,
    virtualSize: 1,
    sequence: 1
  })
  const made = Effect.fnUntraced(function*(order: Effect.Effect<ReadonlyArray<Uint8Array> | undefined>) {
    let sequence = 20
    const asked: Array<number> = []
    const all = new Map<number, PeerRelay>()
    const context = {
      chain: {
        mempool: {
          sequence: () => sequence++,
          find: (_: string, id: Uint8Array) =>
            [1, 2, 3].map(entry).find(({ txid, wtxid }) => [txid, wtxid].some((each) => hashKey(each) === hashKey(id)))
        },
        inMiningOrder: (wtxids: ReadonlyArray<Uint8Array>) => {
          asked.push(wtxids.length)
          return order
        },
        mempoolIds: Effect.sync(() => {
          asked.push(-1)
          return concatBytes([idOf(3, 1), idOf(1, 1)])
        })
      },
      environment: { random: { exponential: () => 1_000 } }
    }
    const turns = yield* announcementTurns(context as unknown as P2pContext, all)
    const add = (...waiting: ReadonlyArray<number>) => {
      const peer = scriptedPeer(all.size + 1, "outbound-full-relay")
      const to = peerRelay(peer, true, false, seededRandom(1))
      for (const value of waiting) to.waiting.add(hashKey(idOf(value, 2)))
      all.set(peer.id, to)
      const received = () =>
        peer.sent.map((message) => message.command === "inv" ? message.inventory.map(({ hash }) => hash[3]) : [])
      return { received, peer, to }
    }
    return { add, asked, turns }
  })
  const settle = Effect.promise(async () => {
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
  })
  const ordered = Effect.as(Effect.yieldNow, [idOf(2, 2), idOf(1, 2)])

  it.effect("asks the engine once for all peers that are due, and only for what one of them waits for", () =>
    Effect.gen(function*() {
      const { add, asked, turns } = yield* made(ordered)
      const [one, other, later, idle] = [add(1, 2), add(2), add(1), add()]
      later.to.nextTrickle = 101
      turns.tickAll(at(100))
      assert.deepStrictEqual([one, other, later, idle].map(({ to }) => to.isAnnouncing), [true, true, false, false])
      assert.deepStrictEqual([one, other, idle].map(({ peer }) => peer.announcements.isSettled()), [false, false, true])
      assert.strictEqual(idle.to.poolSequence, 22)
      yield* settle
      assert.deepStrictEqual(asked, [2])
      assert.deepStrictEqual([one, other, later, idle].map(({ received }) => received()), [[[2, 1]], [[2]], [], []])
      assert.deepStrictEqual([one, other].map(({ to }) => [to.isAnnouncing, to.poolSequence]), [[false, 20], [
        false,
        21
      ]])
      assert.isTrue(one.peer.announcements.isSettled())
    }))

  it.effect("announces the mempool to who asked for it, once, and asks for no order where nothing waits", () =>
    Effect.gen(function*() {
      const { add, asked, turns } = yield* made(ordered)
      const [one, other] = [add(), add(2)]
      one.to.wantsPool = true
      turns.tick(one.to, at(100))
      yield* settle
      assert.deepStrictEqual([asked, one.received(), one.to.wantsPool], [[-1], [[3, 1]], false])
      one.to.wantsPool = true
      turns.tickAll(at(9_000))
      yield* settle
      assert.deepStrictEqual([asked, other.received(), one.received().length], [[-1, 1, -1], [[2]], 2])
    }))

  it.effect("lets the peer's messages go on where the engine refuses, or where the work ends badly", () =>
    Effect.gen(function*() {
      const refused = yield* made(Effect.succeed(undefined))
      const one = refused.add(1)
      refused.turns.tickAll(at(100))
      yield* settle
      assert.deepStrictEqual([one.received(), one.to.isAnnouncing, one.peer.announcements.isSettled()], [
        [],
        false,
        true
      ])
      const defect = yield* made(Effect.die("a defect"))
      const other = defect.add(1)
      defect.turns.tickAll(at(100))
      yield* settle
      assert.isTrue(other.peer.announcements.isSettled())
    }))

  it.effect("comes early to a peer that an operator trusts", () =>
    Effect.gen(function*() {
      const { add, turns } = yield* made(ordered)
      const { received, peer, to } = add(1)
      Object.assign(peer, { isTrusted: true })
      to.nextTrickle = 1_000
      turns.tick(to, at(1))
      yield* settle
      assert.deepStrictEqual(received(), [[1]])
    }))
})
