import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { engineFaultText } from "../../src/engine/api/fault-text.ts"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { loadBlock } from "../../src/engine/validation/load-block.ts"
import { makeFailingStore, type StorePlan } from "../storage/key-value/failing-store.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine } from "./test-engine.ts"

const LONG_AGO = 1_700_000_000

/** Blocks so old that an engine that takes them in is in its initial download, where a commit waits. */
const oldBlocks = Effect.gen(function*() {
  const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: LONG_AGO })
  yield* call("generate", {
    script: Uint8Array.of(0x51),
    blocks: 5,
    maxTries: 1_000_000,
    transactions: [],
    submit: true
  })
  const blocks: Array<Uint8Array> = []
  for (let height = 1; height <= 5; height++) {
    blocks.push((yield* loadBlock(chain, activeAt(chain.tree, height)!)).block.bytes)
  }
  return blocks
}).pipe(Effect.scoped)

/**
 * Takes blocks in and closes, with a store that fails from its second batch on; the first is that of the genesis block.
 */
const closeWith = Effect.fnUntraced(function*(directory: string, plan: Omit<StorePlan, "at"> | undefined) {
  const blocks = yield* oldBlocks
  const news: Array<EngineNotification> = []
  const outcome = yield* Effect.scoped(Effect.gen(function*() {
    const { call } = yield* testEngine({
      directory,
      news: (item) => news.push(item),
      store: (store) => plan === undefined ? store : makeFailingStore(store, { ...plan, at: 2, lasting: true }).store
    })
    for (const bytes of blocks) yield* call("submitBlock", { bytes })
    return yield* Effect.result(call("close", undefined))
  }))
  return { outcome, news }
})

const heightIn = (directory: string) =>
  Effect.scoped(Effect.map(testEngine({ directory }), ({ chain }) => chain.tree.tip.height))

describe("the end of an engine", () => {
  it.live("does not wait for a start that waits for room on a full disk", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const waits = yield* Deferred.make<void>()
      let close = (): void => {}
      const starting = yield* Effect.scoped(testEngine({
        directory,
        news: (item) =>
          item._tag === "Log" && item.message.startsWith("The disk is full") && Deferred.doneUnsafe(waits, Effect.void),
        store: (store) => makeFailingStore(store, { at: 1, lasting: true, fault: "write-lost", reason: "full" }).store,
        parts: (parts) => ({ ...parts, lookAgain: Duration.millis(5), onClose: (listener) => void (close = listener) })
      })).pipe(Effect.result, Effect.forkChild({ startImmediately: true }))
      yield* Deferred.await(waits)
      close()
      const outcome = yield* Fiber.join(starting)
      if (outcome._tag === "Success") return assert.fail("it started without its first commit")
      assert.include(outcome.failure.message, "it was told to fail")
      assert.strictEqual(yield* heightIn(directory), 0)
    }))

  it.live("writes what waited for a commit", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { outcome } = yield* closeWith(directory, undefined)
      assert.strictEqual(outcome._tag, "Success")
      assert.strictEqual(yield* heightIn(directory), 5)
    }))

  for (const reason of ["io", "full"] as const) {
    it.live(`says when that failed (${reason}), and does not wait; what was committed is there`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const { news, outcome } = yield* closeWith(directory, { fault: "write-lost", reason })
        if (outcome._tag === "Success") return assert.fail("the loss was not reported")
        assert.include(engineFaultText(outcome.failure), "it was told to fail")
        assert.isTrue(
          news.some((item) =>
            item._tag === "Log" && item.level === "error" && item.message.includes("could not be written")
          )
        )
        assert.strictEqual(yield* heightIn(directory), 0)
      }))
  }
})
