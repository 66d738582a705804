import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import { headersPresync } from "../../../src/p2p/sync/presync/presync.ts"
import { GENESIS_HASH, hashOf, minedChain } from "./chain-model.ts"
import { at, made, upTo } from "./made-headers-intake.ts"

describe("headers of a chain of too little work", () => {
  const work = Effect.map(made(), ({ model }) => model.chain.tree.tip.chainWork)

  it.effect("are stored where they reach the threshold, where they are of our chain, or the peer is trusted", () =>
    Effect.gen(function*() {
      // Each block is worth two.
      const enough = (yield* work) + 4n
      for (
        const [minimumChainWork, isTrusted, height] of [
          [enough, false, 12],
          [enough + 1n, false, 10],
          [enough + 1n, true, 12]
        ] as const
      ) {
        const { from, give, model } = yield* made({ minimumChainWork })
        Object.assign(from.peer, { isTrusted })
        yield* give(upTo(11, 12))
        assert.strictEqual(model.chain.tree.bestHeader.height, height)
      }
      // What is known of our chain needs no work.
      const { from, give } = yield* made({ minimumChainWork: enough + 100n })
      yield* give(upTo(8, 10))
      assert.strictEqual(from.best?.height, 10)
    }))

  it.effect("of another chain that is known need work as well", () =>
    Effect.gen(function*() {
      const { from, give, model, traced } = yield* made({ minimumChainWork: 10_000n })
      const side = minedChain(2, 9, hashOf(at(8)), at(8).time)
      for (const { bytes } of side) yield* model.chain.acceptHeaders(bytes)
      yield* give(side)
      assert.isUndefined(from.best)
      assert.deepStrictEqual(traced, [{ _tag: "LowWorkChainIgnored", peer: from.peer.id, height: 10 }])
      assert.strictEqual(from.headersDoneSince, model.clock)
    }))

  it.effect("of the best header chain are known, although its blocks are not here", () =>
    Effect.gen(function*() {
      const { from, give, model } = yield* made({ minimumChainWork: 10_000n })
      for (const { bytes } of upTo(11, 14)) yield* model.chain.acceptHeaders(bytes)
      yield* give(upTo(11, 14))
      assert.strictEqual(from.best?.height, 14)
    }))

  it.effect("begin a presync when more may follow, which ends with a short message or with none", () =>
    Effect.gen(function*() {
      for (const last of [upTo(17, 18), []]) {
        const { from, give, model, sent } = yield* made({ minimumChainWork: 10_000n })
        yield* give(upTo(11, 16))
        assert.deepStrictEqual([from.presync?.phase, sent(), from.headersDoneSince], ["adding up", ["getheaders"], 0])
        yield* give(last)
        assert.deepStrictEqual([from.presync, from.headersDoneSince], [undefined, model.clock])
        assert.deepStrictEqual([sent(), model.chain.tree.bestHeader.height], [["getheaders"], 10])
      }
    }))

  it.effect("are stored after a presync that reached the work, and are not all it has then", () =>
    Effect.gen(function*() {
      const { from, give, model, sent } = yield* made({ minimumChainWork: (yield* work) + 20n })
      yield* give(upTo(11, 16))
      yield* give(upTo(17, 22))
      assert.strictEqual(from.presync?.phase, "fetching again")
      assert.deepStrictEqual([sent().length, model.chain.tree.bestHeader.height], [2, 10])
      yield* give(upTo(11, 16))
      assert.strictEqual(from.headersDoneSince, 0)
      yield* give(upTo(17, 22))
      assert.isUndefined(from.presync)
      assert.strictEqual(model.chain.tree.bestHeader.height, 22)
      assert.deepStrictEqual([from.headersDoneSince, sent().filter((each) => each === "getheaders").length], [0, 4])
      yield* give(upTo(23, 23))
      assert.strictEqual(model.chain.tree.bestHeader.height, 23)
    }))
})

describe("a presync that releases nothing", () => {
  it.effect("is replaced by no other while headers are no part of its chain", () =>
    Effect.gen(function*() {
      const { from, give, model, sync } = yield* made({ minimumChainWork: 10_000n })
      from.presync = headersPresync(
        model.chain.tree.tip,
        10_000n,
        model.context.network,
        model.context.crypto,
        model.context.environment
      )
      const side = minedChain(2, 9, GENESIS_HASH)
      yield* give(side)
      assert.isUndefined(from.presync)
      assert.strictEqual(from.headersDoneSince, sync.context.environment.now())
    }))

  it.effect("ends with headers that connect to nothing, and these are no answer to its request", () =>
    Effect.gen(function*() {
      const { from, give, sent, traced } = yield* made({ minimumChainWork: 10_000n })
      yield* give(upTo(11, 16))
      const asked = from.askedForHeaders
      assert.notStrictEqual(asked, 0)
      yield* give(upTo(20, 20))
      assert.isUndefined(from.presync)
      assert.deepStrictEqual([from.askedForHeaders, sent()], [asked, ["getheaders"]])
      assert.deepStrictEqual(traced.flatMap((each) => each._tag === "Presync" ? coreTexts(each) : []), [
        `Initial headers sync started with peer=${from.peer.id}: height=10, max_commitments=223, min_work=` +
        "2710".padStart(64, "0"),
        `Initial headers sync aborted with peer=${from.peer.id}: non-continuous headers at height=16 (presync phase)`
      ])
    }))
})
