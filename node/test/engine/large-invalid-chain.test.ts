import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { LARGE_INVALID_CHAIN } from "../../src/engine/api/fault-text.ts"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { chainState } from "../../src/engine/chainstate/push-state.ts"
import { largeInvalidChainWatch } from "../../src/engine/validation/large-invalid-chain.ts"
import { displayHash } from "../../src/hex.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, type Planned, plantedRoot, plantOn } from "./planted-blocks.ts"
import { testEngine } from "./test-engine.ts"

const LARGEST_FUTURE_AGE = 3 * 86_400

/** A chain of `length` blocks whose first one claims a satoshi too much. */
const invalidChain = (length: number): ReadonlyArray<Planned> => {
  const first = plantOn(plantedRoot(), 1, 1n)
  return [first, ...plantChain(first.node, length - 1, 2)]
}

const submit = ({ call }: RunningEngine, { bytes }: Planned) =>
  Effect.map(call("submitBlock", { bytes: bytes.slice() }), ({ result }) => result)

const warningsOf = ({ chain }: RunningEngine) => chainState(chain).warnings

/** The headers of all, then two blocks, the better chain: the first is found invalid, and with it all on top. */
const takeInvalid = Effect.fnUntraced(function*(engine: RunningEngine, chain: ReadonlyArray<Planned>) {
  const headers = Buffer.concat(chain.map(({ bytes }) => bytes.subarray(0, 80)))
  assert.strictEqual((yield* engine.call("acceptHeaders", { headers })).accepted, chain.length)
  for (const block of chain.slice(0, 2)) assert.isDefined(yield* submit(engine, block))
})

const running = (directory: string, news: (news: EngineNotification) => void = () => {}, mockTime = PLANTED_AT) =>
  testEngine({ directory, mockTime, extensions: [largeInvalidChainWatch], news })

describe("an invalid chain", () => {
  it.live("of more than six blocks more than the active chain is warned of, until that chain has caught up", () =>
    Effect.gen(function*() {
      const received: Array<EngineNotification> = []
      const engine = yield* running(yield* temporaryDirectory, (news) => received.push(news))
      const [first, second] = plantChain(plantedRoot(), 2, 100)
      assert.isUndefined(yield* submit(engine, first!))
      const chain = invalidChain(8)
      yield* takeInvalid(engine, chain)
      assert.deepStrictEqual(warningsOf(engine), [LARGE_INVALID_CHAIN])
      const state = received.findLast((news) => news._tag === "State")
      assert.deepStrictEqual(state?._tag === "State" ? state.state.warnings : [], [LARGE_INVALID_CHAIN])
      const end = { block_hash: displayHash(chain[7]!.node.hash), height: 8 }
      const events = received.flatMap((news) => news._tag === "Event" ? [news.event] : [])
      assert.deepInclude(events, { type: "LargeInvalidChainFound", payload: { ...end, blocks_ahead: 7 } })
      const lines = received.filter((news) => news._tag === "Log" && news.message.startsWith("Found invalid chain"))
      assert.lengthOf(lines, 1)
      assert.deepInclude(lines[0], { level: "warn" })

      assert.isUndefined(yield* submit(engine, second!))
      assert.deepStrictEqual(warningsOf(engine), [])
    }))

  it.live("of six blocks more is none to warn of", () =>
    Effect.gen(function*() {
      const engine = yield* running(yield* temporaryDirectory)
      assert.isUndefined(yield* submit(engine, plantOn(plantedRoot(), 100)))
      yield* takeInvalid(engine, invalidChain(7))
      assert.deepStrictEqual(warningsOf(engine), [])
    }))

  it.live("is no more one when it is considered again", () =>
    Effect.gen(function*() {
      const engine = yield* running(yield* temporaryDirectory)
      const [root, ...chain] = plantChain(plantedRoot(), 9, 100)
      for (const block of [root!, ...chain]) assert.isUndefined(yield* submit(engine, block))
      // What an operator invalidates was not found so, until a start finds it marked.
      yield* engine.call("invalidateBlock", { hash: chain[0]!.node.hash })
      assert.deepStrictEqual(warningsOf(engine), [])
      engine.chain.tree.bestInvalid = engine.chain.tree.nodes.at(-1)
      assert.isUndefined(yield* submit(engine, plantOn(root!.node, 50)))
      assert.deepStrictEqual(warningsOf(engine), [LARGE_INVALID_CHAIN])
      yield* engine.call("reconsiderBlock", { hash: chain[0]!.node.hash })
      assert.deepStrictEqual(warningsOf(engine), [])
    }))

  it.live("is warned of after a start, out of the initial download", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const block = plantOn(plantedRoot(), 100)
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* running(directory, () => {}, PLANTED_AT + LARGEST_FUTURE_AGE)
        assert.isUndefined(yield* submit(engine, block))
        yield* takeInvalid(engine, invalidChain(9))
        assert.deepStrictEqual([engine.chain.initialBlockDownload, warningsOf(engine)], [true, []])
        yield* engine.call("flush", undefined)
      }))
      const again = yield* running(directory)
      assert.deepStrictEqual(warningsOf(again), [LARGE_INVALID_CHAIN])
    }))
})
