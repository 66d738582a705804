import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { nodeOf, setStatus } from "../../../src/engine/header-index/header-index.ts"
import { directFetch } from "../../../src/p2p/sync/blocks/direct-fetch.ts"
import { receiveHeaders } from "../../../src/p2p/sync/headers/headers-intake.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import { hashOf, minedChain, minedHeader } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { at, CHAIN, made, upTo } from "./made-headers-intake.ts"

describe("headers that a peer sends", () => {
  it.effect("answer the request, whatever they are, unless they connect to nothing", () =>
    Effect.gen(function*() {
      for (const headers of [[], upTo(9, 10), upTo(11, 12)]) {
        const { from, give } = yield* made()
        yield* give(headers)
        assert.deepStrictEqual([from.askedForHeaders, from.hasSentHeaders], [0, true])
      }
      const { from, give, sent } = yield* made()
      yield* give(upTo(13, 14))
      assert.deepStrictEqual([from.askedForHeaders === 0, from.hasSentHeaders, sent()], [false, false, ["getheaders"]])
      assert.deepStrictEqual(from.unknown, hashOf(at(14)))
    }))

  it.effect("that are none say nothing of its chain: it is neither protected nor, with too little work, disconnected", () =>
    Effect.gen(function*() {
      for (const [height, minimumChainWork] of [[5, 2n * 31n], [10, 0n]] as const) {
        const { from, give, model } = yield* made({ minimumChainWork })
        model.initialBlockDownload = true
        from.best = nodeOf(model.chain.tree, hashOf(at(height)))!
        yield* give([])
        assert.deepStrictEqual([from.peer.isGone, from.chainSync.isProtected], [false, false])
        yield* give(upTo(height, height))
        assert.deepStrictEqual([from.peer.isGone, from.chainSync.isProtected], [height === 5, height === 10])
      }
    }))

  it.effect("are held against it without work, or where one does not stand on the one before", () =>
    Effect.gen(function*() {
      for (
        const [headers, reason] of [
          [[at(11), at(13)], "non-continuous headers sequence"],
          [[at(11), at(12), at(14)], "non-continuous headers sequence"],
          [[minedHeader(hashOf(at(10)), at(11).time, 0, 0x1d00ffff)], "header with invalid proof of work"],
          [[at(11), minedHeader(hashOf(at(11)), at(12).time, 0, 0x1d00ffff)], "header with invalid proof of work"]
        ] as const
      ) {
        const { from, give, model } = yield* made()
        yield* give(headers)
        assert.deepStrictEqual(from.peer.gone, { reason, discouraged: true })
        assert.strictEqual(model.chain.tree.bestHeader.height, 10)
      }
    }))

  it.effect("that are fewer than fill a message are all it has, since then", () =>
    Effect.gen(function*() {
      const { from, give, model, sent } = yield* made()
      yield* give(upTo(11, 16))
      assert.deepStrictEqual([from.headersDoneSince, sent()[0]], [0, "getheaders"])
      const first = model.clock
      yield* give(upTo(17, 17))
      model.clock += 1_000
      yield* give(upTo(18, 18))
      assert.strictEqual(from.headersDoneSince, first)
      yield* give(upTo(19, 24))
      assert.strictEqual(from.headersDoneSince, 0)
      yield* give([])
      assert.strictEqual(from.headersDoneSince, model.clock)
    }))

  it.effect("that the chain refuses are held against it; that the engine refuses end the fetching", () =>
    Effect.gen(function*() {
      const { from, give, sync } = yield* made()
      Object.assign(sync.context.chain, {
        acceptHeaders: () =>
          Effect.succeed({
            accepted: 0,
            rejection: { reason: "time-too-old", class: "invalid header", rule: undefined }
          })
      })
      yield* give(upTo(11, 12))
      assert.deepStrictEqual(from.peer.gone, { reason: "invalid header received: time-too-old", discouraged: true })

      const other = yield* made({}, { syncStarted: true, headersFailures: 3 })
      other.sync.headersFrom = 1
      other.model.isRefusing = true
      yield* other.give(upTo(11, 12))
      assert.deepStrictEqual([other.from.syncStarted, other.from.headersFailures], [false, 3])
      assert.isUndefined(other.from.peer.gone)
    }))

  it.effect("end its failures, and tell who announced a block first", () =>
    Effect.gen(function*() {
      const { from, give, model, sync } = yield* made({}, { headersFailures: 3 })
      yield* give(upTo(11, 12))
      assert.deepStrictEqual([from.headersFailures, from.lastAnnouncement], [0, model.clock])
      assert.strictEqual(from.best?.height, 12)
      const second = madePeerSync(sync, "outbound-full-relay")
      yield* receiveHeaders(sync, second, { command: "headers", headers: upTo(11, 12) })
      const side = minedChain(1, 9, hashOf(at(9)), at(9).time)
      yield* receiveHeaders(sync, second, { command: "headers", headers: side })
      assert.strictEqual(second.lastAnnouncement, 0)
    }))

  it.effect("are traced once, and in the initial download in detail, with how far they are", () =>
    Effect.gen(function*() {
      const { from, give, model, traced } = yield* made({ late: 1_800 })
      const seen = (height: number, isDownloading: boolean): TraceEvent => ({
        _tag: "HeaderSeen",
        hash: hashOf(CHAIN[height - 1]!),
        height,
        peer: from.peer.id,
        via: "headers",
        isDownloading
      })
      yield* give(upTo(11, 11))
      yield* give(upTo(11, 11))
      assert.deepStrictEqual(traced.splice(0), [
        seen(11, false),
        { _tag: "PeerProtected", peer: from.peer.id }
      ])
      model.initialBlockDownload = true
      // The twelfth is ten minutes old: one interval is missing.
      yield* give(upTo(12, 12))
      assert.deepStrictEqual(traced, [
        seen(12, true),
        { _tag: "HeadersStored", height: 12, progress: 1_200 / 13 }
      ])
      // One from the future counts as the last.
      yield* give(upTo(13, 16))
      assert.deepStrictEqual(traced.at(-1), { _tag: "HeadersStored", height: 16, progress: 100 })
    }))
})

describe("the blocks of headers that came", () => {
  /** What the peer is asked for when it shows headers up to this height. */
  const asked = Effect.fnUntraced(function*(
    to: number,
    options: Parameters<typeof made>[0] = {},
    prepare: (state: Effect.Success<ReturnType<typeof made>>) => void = () => {}
  ) {
    const state = yield* made(options)
    for (const { bytes } of upTo(11, to)) yield* state.model.chain.acceptHeaders(bytes)
    prepare(state)
    directFetch(state.sync, state.from, nodeOf(state.model.chain.tree, hashOf(at(to)))!)
    return state.sent().join()
  })
  const nodeAt = ({ model }: Effect.Success<ReturnType<typeof made>>, height: number) =>
    nodeOf(model.chain.tree, hashOf(at(height)))!

  it.effect("are requested at once while the tip is younger than twenty intervals", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* asked(12), "getdata 40000002,40000002")
      assert.strictEqual(yield* asked(12, { late: 11_999 }), "getdata 40000002,40000002")
      assert.strictEqual(yield* asked(12, { late: 12_000 }), "")
    }))

  it.effect("are not requested when they are invalid, or the engine refuses blocks", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* asked(12, {}, (state) => setStatus(state.model.chain.tree, nodeAt(state, 12), HeaderStatus.INVALID)),
        ""
      )
      assert.strictEqual(yield* asked(12, {}, ({ sync }) => void (sync.restUntil = Infinity)), "")
    }))

  it.effect("are not requested of a peer that went while its headers were stored", () =>
    Effect.gen(function*() {
      for (const isGone of [false, true]) {
        const { from, give, model, sync } = yield* made()
        const { acceptHeaders } = model.chain
        Object.assign(model.chain, {
          acceptHeaders: (bytes: Uint8Array) =>
            Effect.map(acceptHeaders(bytes), (answer) => {
              Object.assign(from.peer, { isGone })
              return answer
            })
        })
        yield* give(upTo(11, 12))
        assert.deepStrictEqual([from.inFlight.size, sync.inFlight.size], isGone ? [0, 0] : [2, 2])
      }
    }))

  it.effect("are requested without those that are here, being accepted, or awaited", () =>
    Effect.gen(function*() {
      const one = "getdata 40000002"
      assert.strictEqual(
        yield* asked(12, {}, (state) => setStatus(state.model.chain.tree, nodeAt(state, 11), HeaderStatus.STORED)),
        one
      )
      assert.strictEqual(
        yield* asked(12, {}, (state) => void state.sync.arriving.known.add(nodeAt(state, 11).index)),
        one
      )
      assert.strictEqual(
        yield* asked(12, {}, (state) => void state.sync.inFlight.set(nodeAt(state, 11).index, [])),
        one
      )
    }))

  it.effect("of a branch are requested when it has as much work, not when it has less", () =>
    Effect.gen(function*() {
      for (const [count, sent] of [[1, ""], [2, "getdata 40000002,40000002"]] as const) {
        const { from, model, sent: shown, sync } = yield* made()
        const side = minedChain(count, 9, hashOf(at(8)), at(8).time)
        for (const { bytes } of side) yield* model.chain.acceptHeaders(bytes)
        directFetch(sync, from, nodeOf(model.chain.tree, hashOf(side.at(-1)!))!)
        assert.strictEqual(shown().join(), sent)
      }
    }))

  it.effect("are requested up to what the peer has room for", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* asked(13, {}, ({ from }) => void (from.capacity = 2)), "getdata 40000002,40000002")
      assert.strictEqual(yield* asked(13, {}, ({ from }) => void (from.capacity = 0)), "")
      assert.strictEqual(
        yield* asked(13, {}, (state) => {
          state.from.capacity = 2
          const node = nodeAt(state, 1)
          state.from.inFlight.set(node.index, { node, peer: state.from, since: 0, compact: undefined })
        }),
        "getdata 40000002"
      )
    }))

  it.effect("are requested as a compact block where one is missing on a connected one and nothing is awaited", () =>
    Effect.gen(function*() {
      const servesCompact = true
      assert.strictEqual(yield* asked(11, { servesCompact }), "getdata 4")
      assert.strictEqual(yield* asked(11), "getdata 40000002")
      assert.strictEqual(yield* asked(12, { servesCompact }), "getdata 40000002,40000002")
      assert.strictEqual(
        yield* asked(11, { servesCompact }, ({ sync }) => void sync.inFlight.set(1, [])),
        "getdata 40000002"
      )
      assert.strictEqual(
        yield* asked(11, { servesCompact }, ({ sync }) => void Object.assign(sync.compact, { isOn: false })),
        "getdata 40000002"
      )
      // The one below is here, and not connected.
      assert.strictEqual(
        yield* asked(
          12,
          { servesCompact },
          (state) => setStatus(state.model.chain.tree, nodeAt(state, 11), HeaderStatus.STORED)
        ),
        "getdata 40000002"
      )
    }))
})
