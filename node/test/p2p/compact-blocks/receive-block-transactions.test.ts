import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { setStatus } from "../../../src/engine/header-index/header-index.ts"
import { noteAsked } from "../../../src/p2p/sync/blocks/blocks-in-flight.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { begun, compactSession, sentTo } from "./compact-session.ts"

const NOW = unixMilliseconds(0)
const GETDATA_WITNESS_BLOCK = "getdata 40000002"

describe("the missing transactions of a block", () => {
  /** A peer was asked for them. */
  const asked = Effect.fnUntraced(function*() {
    const made = yield* compactSession()
    made.session.begins = begun([3])
    const from = made.add("outbound-full-relay")
    yield* made.give(from)
    from.peer.sent.length = 0
    return { ...made, from }
  })

  it.effect("are passed over where they are not awaited", () =>
    Effect.gen(function*() {
      const { add, from, giveTransactions, session } = yield* asked()
      yield* giveTransactions(add("inbound"))
      assert.deepStrictEqual([session.calls, session.traced.map((each) => each._tag)], [["begin 0"], [
        "BlockTransactionsUnexpected"
      ]])
      yield* giveTransactions(from)
      assert.deepStrictEqual(session.calls, ["begin 0", "fill 0 33"])
    }))

  it.effect("are passed over for a block that is unknown, or awaited whole", () =>
    Effect.gen(function*() {
      const { add, giveTransactions, nodeAt, session, showHeader, sync } = yield* compactSession()
      const from = add("outbound-full-relay")
      yield* giveTransactions(from)
      yield* showHeader()
      noteAsked(sync, from, nodeAt(11), NOW)
      yield* giveTransactions(from)
      assert.deepStrictEqual([session.calls, from.inFlight.size, from.peer.gone], [[], 1, undefined])
    }))

  it.effect("that come again after a failure are held against the peer", () =>
    Effect.gen(function*() {
      const { from, giveTransactions, session, sync } = yield* asked()
      session.fills = { _tag: "Failed" }
      yield* giveTransactions(from)
      assert.deepStrictEqual([sentTo(from), from.inFlight.size], [[GETDATA_WITNESS_BLOCK], 1])
      assert.deepStrictEqual([sync.compact.figures.failed.mismatch, sync.sources.size, sync.restUntil], [1, 0, 0])
      assert.strictEqual(from.compactBlocks.failed, 1)
      const { payload, type } = session.model.events.at(-1)!
      assert.strictEqual(type, "BlockReconstructionCompleted")
      assert.deepInclude(payload, { height: 11, success: false })
      yield* giveTransactions(from)
      assert.deepStrictEqual(from.peer.gone, {
        reason: "previous compact block reconstruction attempt failed",
        discouraged: true
      })
      assert.strictEqual(from.inFlight.size, 0)
    }))

  it.effect("do not hide the first sender of the block when they fail, nor lead to a request when it came meanwhile", () =>
    Effect.gen(function*() {
      for (const fills of [{ _tag: "Failed" }, "unstored"] as const) {
        const { add, from, giveTransactions, nodeAt, session, sync } = yield* asked()
        const first = { peer: add("inbound"), isCompact: false }
        sync.sources.set(hashKey(nodeAt(11).hash), first)
        session.fills = fills === "unstored"
          ? {
            _tag: "Accepted",
            requestedBytes: 5,
            block: { hash: nodeAt(11).hash, isNew: false, rejection: undefined }
          }
          : fills
        Object.assign(sync.context.chain, {
          fillCompactBlock: () => Effect.sync(() => (from.inFlight.clear(), session.fills))
        })
        yield* giveTransactions(from)
        assert.deepStrictEqual([...sync.sources.values()], [first])
        assert.deepStrictEqual(sentTo(from), [])
      }
    }))

  it.effect("of a block that is here by now are no failure, and are not counted", () =>
    Effect.gen(function*() {
      const { from, giveTransactions, nodeAt, session, sync } = yield* asked()
      setStatus(session.model.chain.tree, nodeAt(11), HeaderStatus.STORED)
      session.fills = {
        _tag: "Accepted",
        requestedBytes: 5,
        block: { hash: nodeAt(11).hash, isNew: false, rejection: undefined }
      }
      yield* giveTransactions(from)
      assert.deepStrictEqual([sentTo(from), from.inFlight.size, sync.compact.figures.withRequest], [[], 0, 0])
      assert.strictEqual(sync.compact.figures.failed.mismatch, 0)
    }))

  it.effect("may come again after a payload that is no message", () =>
    Effect.gen(function*() {
      const { from, giveTransactions, session } = yield* asked()
      session.fills = { _tag: "Malformed" }
      yield* giveTransactions(from)
      session.fills = "accepted"
      yield* giveTransactions(from)
      assert.strictEqual(session.model.chain.tree.tip.height, 11)
    }))

  it.effect("in another number than was missing are held against the peer", () =>
    Effect.gen(function*() {
      const { from, giveTransactions, session, sync } = yield* asked()
      session.fills = { _tag: "Impossible", why: "too few" }
      yield* giveTransactions(from)
      assert.deepStrictEqual(from.peer.gone, {
        reason: "invalid compact block/non-matching block transactions",
        discouraged: true
      })
      assert.deepStrictEqual([from.inFlight.size, sync.compact.figures.failed.impossible, sync.sources.size], [0, 1, 0])
      assert.deepInclude(session.model.events.at(-1)!.payload, { height: 11, success: false })
    }))

  it.effect("that the engine refuses are missing again, and none is requested for a second", () =>
    Effect.gen(function*() {
      const { from, giveTransactions, session, sync } = yield* asked()
      session.fills = undefined
      yield* giveTransactions(from)
      assert.deepStrictEqual([from.inFlight.size, sync.sources.size, sync.restUntil], [
        0,
        0,
        session.model.clock + 1_000
      ])
      assert.isUndefined(from.peer.gone)
    }))

  it.effect("that make no block, as the engine says, lead to a request for the whole", () =>
    Effect.gen(function*() {
      const { from, giveTransactions, nodeAt, session, sync } = yield* asked()
      session.fills = {
        _tag: "Accepted",
        requestedBytes: 5,
        block: { hash: nodeAt(11).hash, isNew: false, rejection: undefined }
      }
      yield* giveTransactions(from)
      assert.deepStrictEqual([sentTo(from), sync.compact.figures.withRequest], [[GETDATA_WITNESS_BLOCK], 0])
      assert.strictEqual(sync.sources.size, 0)
    }))

  it.effect("of a block that is invalid are not held against the peer, beyond its header", () =>
    Effect.gen(function*() {
      for (
        const [kind, gone] of [["invalid", undefined], ["invalid header", "invalid header via cmpctblock"]] as const
      ) {
        const { from, giveTransactions, nodeAt, session } = yield* asked()
        session.fills = {
          _tag: "Accepted",
          requestedBytes: 5,
          block: {
            hash: nodeAt(11).hash,
            isNew: false,
            rejection: { reason: "bad-txns", class: kind, rule: undefined }
          }
        }
        yield* giveTransactions(from)
        assert.deepStrictEqual([from.peer.gone?.reason, from.inFlight.size], [gone, 0])
      }
    }))
})
