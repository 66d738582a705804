import { assert, describe, it } from "@effect/vitest"
import type { Header } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { IntakeResult } from "../../../src/p2p/chain/p2p-chain.ts"
import {
  rememberSender,
  applyIntakeResult,
  receiveBlock,
  blockChecked
} from "../../../src/p2p/sync/blocks/block-intake.ts"
import {
  firstCapacity,
  forget,
  forgetAll,
  noteArrived,
  noteAsked
} from "../../../src/p2p/sync/blocks/blocks-in-flight.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { compactState } from "../../../src/p2p/sync/compact-blocks/compact-state.ts"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { plainPreferences } from "./plain-preferences.ts"
import { SETTINGS } from "./sync-session.ts"

const CHAIN = minedChain(4)
const at = (height: number): Header => CHAIN[height - 1]!
const INVALID = { reason: "bad-txns", class: "invalid", rule: undefined } as const

/** A node that knows four headers, and a peer in low-bandwidth mode that serves compact blocks. */
const world = Effect.fnUntraced(function*() {
  const model = chainModel(at(4).time + 60)
  for (const { bytes } of CHAIN) yield* model.chain.acceptHeaders(bytes)
  model.initialBlockDownload = false
  const dropped: Array<number> = []
  const sync = syncState(
    {
      ...model.context,
      chain: { ...model.chain, dropCompactBlock: (id) => Effect.sync(() => void dropped.push(id)) }
    },
    SETTINGS,
    compactState(plainPreferences(() => true, () => true), (effect) => void Effect.runSync(effect))
  )
  const from = madePeerSync(sync, "outbound-full-relay")
  const node = (height: number) => nodeOf(model.chain.tree, hashOf(at(height)))!
  const now = unixMilliseconds(model.clock)
  const plain = { isCompact: false, isFirst: true, isOurs: true }
  return {
    dropped,
    from,
    model,
    node,
    now,
    sync,
    answer: (height: number, more: Partial<IntakeResult>, arrival: Partial<typeof plain> = {}) =>
      applyIntakeResult(sync, from, { hash: hashOf(at(height)), isNew: false, rejection: undefined, ...more }, {
        ...plain,
        ...arrival
      })
  }
})

describe("the engine's answer to a block", () => {
  it.effect("that is new ends all requests for it, and refusals, and says nothing of what the peer has", () =>
    Effect.gen(function*() {
      const { answer, from, model, node, now, sync } = yield* world()
      const other = madePeerSync(sync, "inbound")
      noteAsked(sync, other, node(2), now)
      Object.assign(sync, { refusals: 2, restUntil: Infinity })
      sync.sources.set(hashKey(node(2).hash), { peer: from, isCompact: false })
      answer(2, { isNew: true })
      assert.deepStrictEqual([other.inFlight.size, sync.inFlight.size, sync.refusals, sync.restUntil], [0, 0, 0, 0])
      assert.deepStrictEqual([from.bestSent, from.best, from.peer.traffic.lastBlock], [
        undefined,
        undefined,
        model.clock
      ])
      // Its verdict is awaited.
      assert.strictEqual(sync.sources.size, 1)
    }))

  it.effect("that it refuses makes the node rest, and is held against no peer", () =>
    Effect.gen(function*() {
      const { answer, from, model, sync } = yield* world()
      answer(2, { isRefused: true, rejection: INVALID })
      assert.deepStrictEqual([sync.refusals, sync.restUntil, from.peer.gone], [1, model.clock + 1_000, undefined])
    }))

  it.effect("that rejects it is held against the peer, of a compact block in the words of its header", () =>
    Effect.gen(function*() {
      for (
        const [isCompact, kind, reason] of [
          [false, "invalid", "bad-txns"],
          [true, "invalid", undefined],
          [true, "invalid header", "invalid header via cmpctblock"]
        ] as const
      ) {
        const { answer, from, node, sync } = yield* world()
        sync.sources.set(hashKey(node(2).hash), { peer: from, isCompact })
        answer(2, { rejection: { ...INVALID, class: kind } }, { isCompact })
        assert.deepStrictEqual([from.peer.gone?.reason, sync.sources.size], [reason, 0])
      }
    }))

  it.effect("leaves the sender of the first copy in place", () =>
    Effect.gen(function*() {
      const { answer, from, node, sync } = yield* world()
      sync.sources.set(hashKey(node(2).hash), { peer: from, isCompact: false })
      answer(2, {}, { isFirst: false })
      assert.strictEqual(sync.sources.size, 1)
    }))

  it.effect("that it was none makes others be asked, where it was requested of this peer", () =>
    Effect.gen(function*() {
      const { answer, from, model, sync } = yield* world()
      answer(2, {}, { isOurs: false })
      assert.strictEqual(from.lateBlocks, 0)
      answer(2, {})
      assert.deepStrictEqual([from.lateBlocks, from.pausedUntil], [1, model.clock + 30_000])
      yield* model.chain.acceptBlock(at(1).bytes, true)
      answer(1, {})
      assert.strictEqual(from.lateBlocks, 1)
      answer(3, {})
      assert.strictEqual(from.peer.gone?.reason, "does not send requested blocks")
      assert.strictEqual(sync.peers.size, 1)
    }))
})

describe("the verdict on a block", () => {
  const judged = Effect.fnUntraced(function*(
    more: {
      isCompact?: boolean
      isGone?: boolean
      inFlight?: ReadonlyArray<number>
      initial?: boolean
      isKnown?: boolean
    },
    rejection?: typeof INVALID
  ) {
    const { from, model, node, now, sync } = yield* world()
    model.initialBlockDownload = more.initial ?? false
    const other = madePeerSync(sync, "inbound")
    for (const height of more.inFlight ?? []) noteAsked(sync, other, node(height), now)
    Object.assign(from.peer, { isGone: more.isGone ?? false })
    if (more.isKnown !== false) {
      rememberSender(sync, hashKey(node(2).hash), { peer: from, isCompact: more.isCompact ?? false })
    }
    blockChecked(sync, node(2), rejection)
    return [from.isHighBandwidth, from.peer.gone?.reason, sync.sources.size]
  })

  it.effect("that it is valid chooses its sender for high-bandwidth mode, where no other block is awaited", () =>
    Effect.gen(function*() {
      const [chosen, not] = [[true, undefined, 0], [false, undefined, 0]]
      assert.deepStrictEqual(yield* judged({}), chosen)
      assert.deepStrictEqual(yield* judged({ inFlight: [2] }), chosen)
      assert.deepStrictEqual(yield* judged({ inFlight: [3] }), not)
      assert.deepStrictEqual(yield* judged({ inFlight: [2, 3] }), not)
      assert.deepStrictEqual(yield* judged({ initial: true }), not)
      assert.deepStrictEqual(yield* judged({ isGone: true }), not)
      assert.deepStrictEqual(yield* judged({ isKnown: false }), not)
    }))

  it.effect("that it is invalid is held against its sender, unless it came as a compact block", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* judged({}, INVALID), [false, "bad-txns", 0])
      assert.deepStrictEqual(yield* judged({ isCompact: true }, INVALID), [false, undefined, 0])
      assert.deepStrictEqual(yield* judged({ isGone: true }, INVALID), [false, undefined, 0])
    }))
})

describe("senders of blocks", () => {
  it.effect("are remembered for 4,096 blocks, each the first", () =>
    Effect.gen(function*() {
      const { from, sync } = yield* world()
      const other = { peer: madePeerSync(sync, "inbound"), isCompact: true }
      for (let i = 0; i < 4_096; i++) {
        assert.isTrue(rememberSender(sync, `${i}`, { peer: from as PeerSync, isCompact: false }))
      }
      assert.isFalse(rememberSender(sync, "0", other))
      assert.deepStrictEqual([sync.sources.size, sync.sources.get("0")?.peer], [4_096, from])
      assert.isTrue(rememberSender(sync, "4096", other))
      assert.deepStrictEqual([sync.sources.size, sync.sources.has("0"), sync.sources.has("1")], [4_096, false, true])
    }))
})

describe("a peer that sends blocks in the initial download", () => {
  it.effect("goes on while 8 MiB are queued for the engine, and waits beyond", () =>
    Effect.gen(function*() {
      for (const [size, isHeldUp] of [[8 * 1_024 * 1_024, false], [8 * 1_024 * 1_024 + 1, true]] as const) {
        const { from, model, sync } = yield* world()
        model.initialBlockDownload = true
        model.holds = Effect.never
        const bytes = new Uint8Array(size)
        bytes.set(at(1).bytes)
        const message = { command: "block", header: at(1), bytes } as const
        const taking = receiveBlock(sync, from, message, yield* Effect.scope)
        yield* Effect.forkChild(taking, { startImmediately: true })
        assert.deepStrictEqual([from.isHeldUp, sync.waitingBytes], [isHeldUp, size])
      }
    }).pipe(Effect.scoped))
})

describe("requests for blocks", () => {
  it.effect("are over for one peer or for all, and what was put together is dropped", () =>
    Effect.gen(function*() {
      const { dropped, from, node, now, sync } = yield* world()
      const other = madePeerSync(sync, "inbound")
      const asked = noteAsked(sync, from, node(2), now)
      noteAsked(sync, other, node(2), now)
      assert.deepStrictEqual(sync.inFlight.get(node(2).index)?.map(({ peer }) => peer), [from, other])
      asked.compact = { _tag: "Begun", id: 9, missing: [], prefilled: 0, found: 0, extra: 0, node: node(2), since: now }
      from.stallingSince = 5
      assert.isTrue(forget(sync, node(2), now, from))
      assert.deepStrictEqual([dropped, from.stallingSince, from.inFlight.size, other.inFlight.size], [[9], 0, 0, 1])
      assert.strictEqual(sync.inFlight.get(node(2).index)?.length, 1)
      assert.isFalse(forget(sync, node(2), now, from))
      noteAsked(sync, from, node(2), now).compact = "over"
      assert.isTrue(forget(sync, node(2), now))
      assert.deepStrictEqual([dropped, from.inFlight.size, other.inFlight.size, sync.inFlight.size], [[9], 0, 0, 0])
      for (const height of [1, 2, 3]) noteAsked(sync, from, node(height), now)
      forgetAll(sync, from)
      assert.deepStrictEqual([from.inFlight.size, sync.inFlight.size], [0, 0])
    }))

  it.effect("count from the oldest one that is awaited", () =>
    Effect.gen(function*() {
      const { from, node, sync } = yield* world()
      const time = (milliseconds: number) => unixMilliseconds(1_000 + milliseconds)
      noteAsked(sync, from, node(1), time(0))
      noteAsked(sync, from, node(2), time(10))
      assert.strictEqual(from.downloadingSince, 1_000)
      forget(sync, node(2), time(20), from)
      assert.strictEqual(from.downloadingSince, 1_000)
      noteAsked(sync, from, node(2), time(30))
      forget(sync, node(1), time(40), from)
      assert.strictEqual(from.downloadingSince, 1_040)
      forget(sync, node(2), time(5), from)
      assert.strictEqual(from.downloadingSince, 1_040)
    }))

  it.effect("are as many as a fast peer sends in two seconds, between 16 and what is set", () =>
    Effect.gen(function*() {
      const { sync } = yield* world()
      const capacity = (blocks: number, passed: number) => {
        const from = madePeerSync(sync, "inbound", { arrived: blocks - 1 })
        noteArrived(sync, from, unixMilliseconds(passed))
        return [from.capacity, from.interval, from.arrived, from.measuredSince]
      }
      assert.deepStrictEqual(capacity(10, 499), [16, Infinity, 10, 0])
      assert.deepStrictEqual(capacity(10, 500), [40, 50, 0, 500])
      assert.deepStrictEqual(capacity(11, 1_000), [22, 1_000 / 11, 0, 1_000])
      assert.deepStrictEqual(capacity(1, 1_000), [16, 1_000, 0, 1_000])
      assert.deepStrictEqual(capacity(100, 1_000), [128, 10, 0, 1_000])
      assert.deepStrictEqual([8, 16, 128].map((blocksPerPeer) => firstCapacity({ ...SETTINGS, blocksPerPeer })), [
        8,
        16,
        16
      ])
    }))
})
