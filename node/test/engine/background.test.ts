import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { superviseBackground } from "../../src/engine/chainstate/background.ts"
import type { ChainEngine } from "../../src/engine/state/chain-engine.ts"
import { RUNNING } from "../../src/engine/state/engine-status.ts"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import type { MakeExtension } from "../../src/engine/chainstate/extension.ts"
import { shownError } from "../rpc/shown-error.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine } from "./test-engine.ts"

const BLOCK = { script: Uint8Array.of(0x51), blocks: 1, maxTries: 1_000_000, transactions: [], submit: true }

interface Work {
  readonly begun: Array<string>
  readonly ended: Array<string>
}

/** Works until it is interrupted, and notes that. */
const waiting = (name: string, { begun, ended }: Work): MakeExtension => () =>
  Effect.succeed({
    background: Effect.andThen(
      Effect.sync(() => void begun.push(name)),
      Effect.onInterrupt(Effect.never, () => Effect.sync(() => void ended.push(name)))
    )
  })

/** Opens an engine with these extensions, and closes it once all of their work has begun. */
const openAndClose = (work: Work, names: ReadonlyArray<string>, news: (item: EngineNotification) => void) =>
  Effect.scoped(Effect.gen(function*() {
    const { chain } = yield* testEngine({
      directory: yield* temporaryDirectory,
      extensions: names.map((name) => waiting(name, work)),
      news
    })
    while (work.begun.length < names.length) yield* Effect.yieldNow
    return chain
  }))

describe("work of the engine in the background", () => {
  it.live("breaks the engine by a defect: the node stops with the reason, and nothing is built on it", () =>
    Effect.gen(function*() {
      const news: Array<EngineNotification> = []
      const now = yield* Deferred.make<void>()
      const failing: MakeExtension = () =>
        Effect.succeed({ background: Effect.andThen(Deferred.await(now), Effect.die(new Error("a mistake of ours"))) })
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        extensions: [failing],
        news: (item) => news.push(item)
      })
      yield* call("generate", BLOCK)
      assert.strictEqual(chain.status._tag, "Running")
      yield* Deferred.succeed(now, undefined)
      while (chain.status._tag === "Running") yield* Effect.yieldNow
      const fatal = news.filter((item) => item._tag === "Fatal")
      assert.lengthOf(fatal, 1)
      assert.include(fatal[0]!.message, "a mistake of ours")
      const refused = yield* Effect.flip(call("generate", BLOCK))
      assert.deepStrictEqual(refused, { _tag: "Broken", cause: fatal[0]!.message })
      assert.deepInclude(shownError(refused), { code: -20, message: fatal[0]!.message })
      assert.lengthOf(yield* call("chainTips", undefined), 1)
    }))

  it.live("ends with the engine's scope, what was started last first, and that is no fault", () =>
    Effect.gen(function*() {
      const work: Work = { begun: [], ended: [] }
      const news: Array<EngineNotification> = []
      const chain = yield* openAndClose(work, ["first", "second", "third"], (item) => news.push(item))
      assert.deepStrictEqual(work.begun, ["first", "second", "third"])
      assert.deepStrictEqual(work.ended, ["third", "second", "first"])
      assert.strictEqual(chain.status._tag, "Closing")
      assert.isFalse(news.some((item) => item._tag === "Fatal" || (item._tag === "Log" && item.level === "error")))
    }))

  it.live("is no fault either where it interrupts itself, with what it has begun", () =>
    Effect.gen(function*() {
      const news: Array<EngineNotification> = []
      const engine = { status: RUNNING, notify: (item: EngineNotification) => void news.push(item) }
      const { fork, start } = yield* superviseBackground(engine as unknown as ChainEngine)
      start(Effect.interrupt)
      yield* fork(Effect.interrupt)
      yield* Effect.sleep(1)
      assert.deepStrictEqual([engine.status, news], [RUNNING, []])
      start(Effect.die("a mistake of ours"))
      assert.strictEqual(engine.status._tag as string, "Broken")
      const text = "A defect of this program ended work in the background"
      assert.deepInclude(news[0], { _tag: "Log", level: "error", message: text })
    }))
})
