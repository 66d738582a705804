import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const MONTH = 30 * 24 * 60 * 60
const CHAIN = plantChain(plantedRoot(), 2)
const NOWHERE = new Uint8Array(32).fill(7)

/** An engine in the initial download: what it has is not committed with each call. */
const downloading = Effect.gen(function*() {
  const engine = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT + MONTH })
  for (const { bytes } of CHAIN) yield* engine.call("submitBlock", { bytes: bytes.slice() })
  assert.isTrue(engine.chain.initialBlockDownload)
  assert.isTrue(engine.chain.dirty)
  return engine
})

describe("calls that the engine answers itself", () => {
  it.live("count the coins of the tip, also where it was not committed yet", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* downloading
      const found = yield* call("setStatistics", { hashType: "none", at: undefined, useIndex: false })
      assert.isFalse(chain.dirty)
      assert.deepStrictEqual(found, {
        height: 2,
        block: CHAIN[1]!.node.hash.slice(),
        txouts: 2,
        // Each has 50 and the three bytes of its script.
        bogoSize: 106n,
        total: 10_000_000_000n,
        setHash: undefined,
        transactions: 2,
        sizeOnDisk: found.sizeOnDisk,
        index: undefined
      })
      assert.isAbove(found.sizeOnDisk!, 0)
    }))

  it.live("commit what there is when they are asked to, and only then", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* downloading
      assert.deepStrictEqual(yield* call("hashAt", { height: 2 }), CHAIN[1]!.node.hash.slice())
      assert.isTrue(chain.dirty)
      yield* call("flush", undefined)
      assert.isFalse(chain.dirty)
    }))

  it.live("know no block that is not in the header index", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* downloading
      for (const name of ["invalidateBlock", "reconsiderBlock", "preciousBlock"] as const) {
        assert.deepStrictEqual(yield* Effect.flip(call(name, { hash: NOWHERE })), {
          _tag: "BlockNotFound",
          hash: NOWHERE
        })
      }
      assert.isUndefined(yield* call("blockFacts", { hash: NOWHERE }))
      assert.deepStrictEqual([yield* call("hashAt", { height: 3 }), yield* call("hashAt", { height: -1 })], [
        undefined,
        undefined
      ])
      yield* call("invalidateBlock", { hash: CHAIN[1]!.node.hash })
      assert.strictEqual(chain.tree.tip.height, 1)
      yield* call("reconsiderBlock", { hash: CHAIN[1]!.node.hash })
      assert.strictEqual(chain.tree.tip.height, 2)
    }))

  it.live("give hashes in memory of the caller's own", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* downloading
      const hash = yield* call("hashAt", { height: 1 })
      hash!.fill(0)
      assert.deepStrictEqual(yield* call("hashAt", { height: 1 }), CHAIN[0]!.node.hash.slice())
      const { block } = yield* call("setStatistics", { hashType: "none", at: undefined, useIndex: false })
      block.fill(0)
      assert.deepStrictEqual(chain.tree.tip.hash.slice(), CHAIN[1]!.node.hash.slice())
    }))

  it.live("commit, and change nothing any more, when the engine is closed", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* downloading
      yield* call("close", undefined)
      assert.deepStrictEqual([chain.dirty, chain.status], [false, { _tag: "Closing" }])
      assert.deepStrictEqual(yield* Effect.flip(call("flush", undefined)), { _tag: "Closing" })
    }))
})
