import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { setStatus } from "../../../src/engine/header-index/header-index.ts"
import { displayHash } from "../../../src/hex.ts"
import { receiveCompactBlock } from "../../../src/p2p/sync/compact-blocks/receive-compact-block.ts"
import { noteAsked } from "../../../src/p2p/sync/blocks/blocks-in-flight.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { hashOf, minedChain } from "../sync/chain-model.ts"
import { at, begun, compactPayload, compactSession, sentTo, TIP } from "./compact-session.ts"

const NOW = unixMilliseconds(0)
const GETDATA_WITNESS_BLOCK = "getdata 40000002"

describe("a compact block is looked at", () => {
  it.effect("only where the node puts blocks together and the peer serves them", () =>
    Effect.gen(function*() {
      const received = Effect.fnUntraced(
        function*(options: Parameters<typeof compactSession>[0], loadingBlocks = false) {
          const { add, give, session, sync } = yield* compactSession(options)
          session.model.loadingBlocks = loadingBlocks
          yield* give(add("outbound-full-relay"))
          return [sync.compact.figures.received, session.model.chain.tree.bestHeader.height]
        }
      )
      assert.deepStrictEqual(yield* received({}), [1, 11])
      assert.deepStrictEqual(yield* received({ isOn: false }), [0, 10])
      assert.deepStrictEqual(yield* received({ servesCompact: false }), [0, 10])
      assert.deepStrictEqual(yield* received({}, true), [0, 10])
    }))

  it.effect("and is counted and told", () =>
    Effect.gen(function*() {
      const { add, session, sync } = yield* compactSession()
      const from = add("outbound-full-relay")
      yield* receiveCompactBlock(sync, from, compactPayload(at(11)))
      assert.deepStrictEqual([sync.compact.figures.received, session.calls], [1, ["begin 0", "fill 0 nothing"]])
      assert.deepStrictEqual(session.model.events[0], {
        type: "CompactBlockReceived",
        payload: {
          block_hash: Buffer.from(hashOf(at(11)).toReversed()).toString("hex"),
          height: 11,
          peer: from.peer.name,
          short_ids: 7
        }
      })
    }))

  it.effect("not from a peer that went while its header was indexed", () =>
    Effect.gen(function*() {
      const { add, give, session, sync } = yield* compactSession()
      const from = add("outbound-full-relay")
      const { chain } = sync.context
      const { acceptHeaders } = chain
      Object.assign(chain, {
        acceptHeaders: (bytes: Uint8Array) =>
          Effect.map(acceptHeaders(bytes), (answer) => {
            Object.assign(from.peer, { isGone: true })
            return answer
          })
      })
      yield* give(from)
      assert.deepStrictEqual([sync.compact.figures.received, session.calls, session.model.events], [0, [], []])
      assert.strictEqual(chain.tree.bestHeader.height, 11)
    }))

  it.effect("not on an unknown block: headers are requested, unless the initial download is on", () =>
    Effect.gen(function*() {
      for (const initialBlockDownload of [false, true]) {
        const { add, give, session } = yield* compactSession()
        session.model.initialBlockDownload = initialBlockDownload
        const from = add("outbound-full-relay")
        yield* give(from, 12)
        assert.deepStrictEqual(sentTo(from), initialBlockDownload ? [] : ["getheaders"])
        assert.deepStrictEqual(session.calls, [])
      }
    }))

  it.effect("not below the work that a chain must have to be stored", () =>
    Effect.gen(function*() {
      const { session: { model } } = yield* compactSession()
      const { chainWork } = model.chain.tree.tip
      const cases = [
        [chainWork + 2n, 11, "CompactBlockRebuilt"],
        [chainWork + 3n, 10, "CompactBlockIgnored"]
      ] as const
      for (const [work, height, traced] of cases) {
        const { add, give, session, sync } = yield* compactSession({ minimumChainWork: work })
        yield* give(add("outbound-full-relay"))
        assert.strictEqual(session.model.chain.tree.bestHeader.height, height)
        assert.strictEqual(sync.compact.figures.received, height - 10)
        assert.strictEqual(session.traced.at(-1)?._tag, traced)
      }
    }))

  it.effect("and its header is held against the peer when it is refused, or notes who announced first", () =>
    Effect.gen(function*() {
      const { add, give, session, showHeader, sync } = yield* compactSession()
      const [first, second] = [add("outbound-full-relay"), add("outbound-full-relay")]
      yield* give(first)
      assert.strictEqual(first.lastAnnouncement, session.model.clock)
      assert.strictEqual(first.best?.height, 11)
      yield* showHeader(12)
      yield* give(second, 12)
      assert.strictEqual(second.lastAnnouncement, 0)
      assert.deepStrictEqual(session.newHeaders, [
        `Saw new cmpctblock header hash=${displayHash(hashOf(at(11)))} height=11 peer=${first.peer.id}`
      ])
      const side = minedChain(1, 9, at(4).previous)[0]!
      yield* receiveCompactBlock(sync, second, compactPayload(side))
      assert.strictEqual(second.lastAnnouncement, 0)

      const other = yield* compactSession()
      const liar = other.add("inbound")
      const { chain } = other.sync.context
      Object.assign(chain, {
        acceptHeaders: () =>
          Effect.succeed({
            accepted: 0,
            rejection: { reason: "time-too-old", class: "invalid header", rule: undefined }
          })
      })
      yield* other.give(liar)
      assert.deepStrictEqual(liar.peer.gone, { reason: "invalid header via cmpctblock", discouraged: true })
      assert.strictEqual(other.sync.compact.figures.received, 0)
    }))
})

describe("a compact block is put together", () => {
  it.effect("at once where nothing is missing", () =>
    Effect.gen(function*() {
      const { add, give, session, sync } = yield* compactSession()
      const from = add("outbound-full-relay")
      session.meanwhile = () => void (session.model.clock += 40)
      yield* give(from)
      assert.strictEqual(session.model.chain.tree.tip.height, 11)
      assert.deepStrictEqual(sentTo(from), [])
      assert.deepStrictEqual([from.inFlight.size, sync.inFlight.size, from.heldUpBy, sync.sources.size], [0, 0, 0, 1])
      assert.deepStrictEqual(sync.compact.figures, {
        received: 1,
        withoutRequest: 1,
        withRequest: 0,
        failed: { collision: 0, mismatch: 0, impossible: 0 },
        transactions: { prefilled: 1, mempool: 3, extra: 2, requested: 0 },
        requestedBytes: 900,
        milliseconds: 40,
        announced: { early: 0, late: 0 }
      })
      assert.deepStrictEqual([...sync.sources.values()], [{ peer: from, isCompact: true }])
      assert.isBelow(from.interval, Infinity)
      assert.deepStrictEqual(session.model.events.map(({ type }) => type), [
        "CompactBlockReceived",
        "BlockReconstructionStarted",
        "BlockReconstructionCompleted"
      ])
    }))

  it.effect("in no time where the clock was set back", () =>
    Effect.gen(function*() {
      const { add, give, session, sync } = yield* compactSession()
      session.meanwhile = () => void (session.model.clock -= 40)
      yield* give(add("outbound-full-relay"))
      assert.strictEqual(sync.compact.figures.milliseconds, 0)
    }))

  it.effect("after a request for what is missing", () =>
    Effect.gen(function*() {
      const { add, give, giveTransactions, session, sync } = yield* compactSession()
      session.begins = begun([2, 5])
      const from = add("outbound-full-relay")
      yield* give(from)
      assert.deepStrictEqual(sentTo(from), ["getblocktxn 2,5"])
      assert.deepStrictEqual([from.inFlight.size, session.model.chain.tree.tip.height], [1, 10])
      // A second one changes nothing.
      yield* give(from)
      assert.deepStrictEqual([sentTo(from), session.calls], [["getblocktxn 2,5"], ["begin 0"]])
      yield* giveTransactions(from)
      assert.deepStrictEqual([from.inFlight.size, session.model.chain.tree.tip.height], [0, 11])
      const { requestedBytes, transactions, withRequest, withoutRequest } = sync.compact.figures
      assert.deepStrictEqual([withoutRequest, withRequest, requestedBytes], [0, 1, 900])
      assert.deepStrictEqual(transactions, { prefilled: 1, mempool: 3, extra: 2, requested: 2 })
    }))

  it.effect("not when it is here already, or being accepted", () =>
    Effect.gen(function*() {
      const { add, give, nodeAt, session, showHeader, sync } = yield* compactSession()
      const from = add("outbound-full-relay")
      yield* showHeader()
      sync.arriving.known.add(nodeAt(11).index)
      yield* give(from)
      sync.arriving.known.clear()
      setStatus(session.model.chain.tree, nodeAt(11), HeaderStatus.STORED)
      noteAsked(sync, from, nodeAt(11), NOW)
      yield* give(from)
      assert.deepStrictEqual([session.calls, sentTo(from)], [[], []])
    }))

  it.effect("from a peer that is not in high-bandwidth mode only when it was asked for", () =>
    Effect.gen(function*() {
      const { add, give, nodeAt, session, showHeader, sync } = yield* compactSession()
      const from = add("outbound-full-relay", { isHighBandwidth: false })
      yield* give(from)
      assert.deepStrictEqual([session.calls, session.traced.length], [[], 1])
      yield* showHeader()
      noteAsked(sync, from, nodeAt(11), NOW)
      yield* give(from)
      assert.deepStrictEqual(session.calls, ["begin 0", "fill 0 nothing"])
    }))

  it.effect("not while the tip is old, unless a peer was asked for it, nor while the engine refuses blocks", () =>
    Effect.gen(function*() {
      const begins = Effect.fnUntraced(function*(late: number, isAsked: boolean, restUntil = 0) {
        const { add, give, nodeAt, session, showHeader, sync } = yield* compactSession({ late })
        const from = add("outbound-full-relay")
        yield* showHeader()
        if (isAsked) noteAsked(sync, from, nodeAt(11), NOW)
        sync.restUntil = restUntil
        yield* give(from)
        return session.calls.length > 0
      })
      // Twenty intervals of ten minutes.
      assert.isTrue(yield* begins(11_999, false))
      assert.isFalse(yield* begins(12_000, false))
      assert.isTrue(yield* begins(12_000, true))
      assert.isFalse(yield* begins(60, false, Infinity))
    }))

  it.effect("up to two blocks above the tip; a higher one is requested whole, or its header is taken", () =>
    Effect.gen(function*() {
      for (
        const [height, isAsked, calls, sent] of [
          [12, false, ["begin 0", "fill 0 nothing"], []],
          [13, true, [], [GETDATA_WITNESS_BLOCK]],
          [13, false, [], ["getdata 40000002,40000002,40000002"]]
        ] as const
      ) {
        const { add, give, nodeAt, session, showHeader, sync } = yield* compactSession()
        const from = add("outbound-full-relay")
        yield* showHeader(height)
        if (isAsked) noteAsked(sync, from, nodeAt(height), NOW)
        yield* give(from, height)
        assert.deepStrictEqual([session.calls, sentTo(from)], [calls, sent])
      }
    }))

  it.effect("not where the tip has as much work: one that was asked for is requested whole", () =>
    Effect.gen(function*() {
      const { add, nodeAt, session, sync } = yield* compactSession()
      const from = add("outbound-full-relay")
      const side = minedChain(1, 9, at(TIP).previous, at(TIP - 1).time)[0]!
      yield* receiveCompactBlock(sync, from, compactPayload(side))
      assert.deepStrictEqual([session.calls, sentTo(from)], [[], []])
      noteAsked(sync, from, session.model.chain.tree.nodes.at(-1)!, NOW)
      yield* receiveCompactBlock(sync, from, compactPayload(side))
      assert.deepStrictEqual([session.calls, sentTo(from)], [[], [GETDATA_WITNESS_BLOCK]])
      assert.strictEqual(nodeAt(TIP), session.model.chain.tree.tip)
    }))

  it.effect("not where pruning has removed it: one that was asked for is requested whole", () =>
    Effect.gen(function*() {
      const { add, give, nodeAt, session, showHeader, sync } = yield* compactSession()
      const from = add("outbound-full-relay")
      yield* showHeader()
      setStatus(session.model.chain.tree, nodeAt(11), HeaderStatus.PRUNED)
      noteAsked(sync, from, nodeAt(11), NOW)
      yield* give(from)
      assert.deepStrictEqual([session.calls, sentTo(from)], [[], [GETDATA_WITNESS_BLOCK]])
    }))
})

describe("a compact block that several peers send", () => {
  /** The kinds of peers that send the next block one after another; what each is sent. */
  const offered = Effect.fnUntraced(
    function*(kinds: ReadonlyArray<readonly ["inbound" | "outbound-full-relay", boolean]>) {
      const made = yield* compactSession()
      const { add, give, nodeAt, session, showHeader, sync } = made
      session.begins = begun([3])
      yield* showHeader()
      const peers = kinds.map(([kind, isHighBandwidth]) => add(kind, { isHighBandwidth }))
      for (const from of peers) {
        if (!from.isHighBandwidth) noteAsked(sync, from, nodeAt(11), NOW)
        yield* give(from)
      }
      return {
        ...made,
        peers,
        sent: peers.map((peer) => sentTo(peer).join()),
        inFlight: peers.map((peer) => peer.inFlight.size)
      }
    }
  )
  const [IN, OUT] = [["inbound", true], ["outbound-full-relay", true]] as const
  const ASKED = "getblocktxn 3"

  it.effect("is requested from three at once, the last of whom is an outbound one", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* offered([IN, IN, IN, OUT])).sent, [ASKED, ASKED, "", ASKED])
      assert.deepStrictEqual((yield* offered([OUT, IN, IN, IN])).sent, [ASKED, ASKED, ASKED, ""])
      assert.deepStrictEqual((yield* offered([IN, OUT, IN, OUT])).inFlight, [1, 1, 1, 0])
      assert.deepStrictEqual((yield* offered([OUT, OUT, OUT, OUT])).sent, [ASKED, ASKED, ASKED, ""])
    }))

  it.effect("is not requested from a second one that is not in high-bandwidth mode", () =>
    Effect.gen(function*() {
      const { inFlight, sent } = yield* offered([IN, ["outbound-full-relay", false]])
      assert.deepStrictEqual([sent, inFlight], [[ASKED, ""], [1, 0]])
      assert.deepStrictEqual((yield* offered([["inbound", false]])).sent, [ASKED])
    }))

  it.effect("is used from a fourth where nothing is missing, and dropped where something is", () =>
    Effect.gen(function*() {
      const { add, give, session, sync } = yield* offered([OUT, OUT, OUT])
      yield* give(add("outbound-full-relay"))
      assert.deepStrictEqual(session.calls.slice(-2), ["begin 3", "drop 3"])
      session.begins = begun([])
      yield* give(add("outbound-full-relay"))
      assert.deepStrictEqual(session.calls.slice(5, 7), ["begin 4", "fill 4 nothing"])
      assert.strictEqual(session.model.chain.tree.tip.height, 11)
      assert.strictEqual(sync.inFlight.size, 0)
    }))

  it.effect("is not requested from one that owes sixteen blocks", () =>
    Effect.gen(function*() {
      for (const [owed, isAsked] of [[15, true], [16, false]] as const) {
        const { add, give, session, sync } = yield* compactSession()
        session.begins = begun([3])
        const from = add("outbound-full-relay")
        for (const node of session.model.chain.tree.nodes.slice(0, Math.min(owed, 11))) noteAsked(sync, from, node, NOW)
        for (let i = 11; i < owed; i++) from.inFlight.set(1_000 + i, from.inFlight.values().next().value!)
        assert.strictEqual(from.inFlight.size, owed)
        yield* give(from)
        assert.deepStrictEqual(sentTo(from), isAsked ? ["getblocktxn 3"] : [])
      }
    }))

  it.effect("is dropped when it came whole meanwhile", () =>
    Effect.gen(function*() {
      const { add, give, session } = yield* compactSession()
      session.begins = begun([3])
      const from = add("outbound-full-relay")
      session.meanwhile = () => from.inFlight.clear()
      yield* give(from)
      assert.deepStrictEqual([session.calls, sentTo(from)], [["begin 0", "drop 0"], []])
    }))
})

describe("a compact block that cannot be put together", () => {
  it.effect("is held against the peer when no block can be meant", () =>
    Effect.gen(function*() {
      const { add, give, session, sync } = yield* compactSession()
      session.begins = { _tag: "Impossible", why: "too many" }
      const from = add("outbound-full-relay")
      yield* give(from)
      assert.deepStrictEqual(from.peer.gone, { reason: "invalid compact block", discouraged: true })
      assert.deepStrictEqual([from.inFlight.size, sync.inFlight.size, sync.compact.figures.failed.impossible], [
        0,
        0,
        1
      ])
    }))

  it.effect("is requested whole from the first peer after a collision; the second is not waited for", () =>
    Effect.gen(function*() {
      const { add, give, session, sync } = yield* compactSession()
      session.begins = { _tag: "Collision" }
      const [first, second] = [add("outbound-full-relay"), add("outbound-full-relay")]
      yield* give(first)
      yield* give(second)
      assert.deepStrictEqual([sentTo(first), sentTo(second)], [[GETDATA_WITNESS_BLOCK], []])
      assert.deepStrictEqual([first.inFlight.size, second.inFlight.size], [1, 0])
      assert.strictEqual([...first.inFlight.values()][0]!.compact, "over")
      assert.strictEqual(sync.compact.figures.failed.collision, 2)
      const { payload, type } = session.model.events.at(-1)!
      assert.strictEqual(type, "BlockReconstructionCompleted")
      assert.deepInclude(payload, { height: 11, success: false, missing: 0 })
      assert.deepStrictEqual(session.traced.map((each) => each._tag), ["CompactBlockFailed"])
    }))

  it.effect("is not requested whole after a collision when it came meanwhile", () =>
    Effect.gen(function*() {
      const { add, give, session } = yield* compactSession()
      session.begins = { _tag: "Collision" }
      const from = add("outbound-full-relay")
      session.meanwhile = () => from.inFlight.clear()
      yield* give(from)
      assert.deepStrictEqual(sentTo(from), [])
    }))

  it.effect("is awaited still when it was requested and the payload is no message; else it is forgotten", () =>
    Effect.gen(function*() {
      for (const isAsked of [true, false]) {
        const { add, give, nodeAt, session, showHeader, sync } = yield* compactSession()
        session.begins = { _tag: "Malformed" }
        const from = add("outbound-full-relay")
        yield* showHeader()
        if (isAsked) noteAsked(sync, from, nodeAt(11), NOW)
        yield* give(from)
        assert.strictEqual(from.inFlight.size, isAsked ? 1 : 0)
        assert.isUndefined(from.peer.gone)
      }
    }))
})
