import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { EngineOptions } from "../../../src/engine/options/engine-options.ts"
import { pool } from "../../../src/engine/mempool/mempool-extension.ts"
import { LEAST_EARLY_CHANGES } from "../../../src/engine/options/limits.ts"
import { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { coinbaseAt, idOf, loose, mine, rawOf } from "../mempool/loose-transactions.ts"
import { REWARD } from "../mempool/mempool-engine.ts"
import { plantChain, PLANTED_AT, plantedRoot } from "../planted-blocks.ts"
import { closeSession, openSession, reopen } from "../session.ts"
import { testEngine } from "../test-engine.ts"

const EARLY: Partial<EngineOptions> = { testHooks: { earlyChanges: 0 } }
const MATURE = 101

/** An engine whose steps are noted: states by their height, and points of its writes. */
const noting = (directory: string, steps: Array<string>, options: Partial<EngineOptions>) =>
  testEngine({
    directory,
    mockTime: PLANTED_AT,
    options,
    news: (news) => {
      if (news._tag === "State") steps.push(`state ${news.state.height}`)
    },
    parts: (parts) => ({
      ...parts,
      crashPoint: (name) => void steps.push(name),
      sendNow: () => void steps.push("sent")
    })
  })

/** What an engine out of the initial download does with one more block. */
const stepsOfBlock = (options: Partial<EngineOptions>) =>
  Effect.gen(function*() {
    const steps: Array<string> = []
    const { call } = yield* noting(yield* temporaryDirectory, steps, options)
    const [first, second] = plantChain(plantedRoot(), 2)
    yield* call("submitBlock", { bytes: first!.bytes.slice() })
    steps.length = 0
    yield* call("submitBlock", { bytes: second!.bytes.slice() })
    return steps
  }).pipe(Effect.scoped)

const failure = (reason: "full" | "io"): StorageError =>
  new StorageError({ part: "key-value", operation: "write", reason, message: "no byte is written any more" })

describe("a new tip with many changed coins", () => {
  it.live("is reported once its block is on disk, and its coins are committed after that", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* stepsOfBlock(EARLY), [
        "block-appended",
        "coins-applied",
        "undo-appended",
        "before-early-batch",
        "after-early-batch",
        "state 2",
        "sent",
        "before-file-sync",
        "before-batch",
        "inside-batch",
        "after-batch",
        "state 2",
        "after-commit"
      ])
    }))

  it.live("with few of them is reported after the commit alone", () =>
    Effect.gen(function*() {
      assert.isAbove(LEAST_EARLY_CHANGES, 1)
      const steps = yield* stepsOfBlock({})
      assert.notInclude(steps, "after-early-batch")
      assert.isAbove(steps.indexOf("state 2"), steps.indexOf("after-batch"))
    }))

  it.live("is the tip of the next start when the process dies before the commit", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      let reported = 0
      let writes = 0
      const session = yield* openSession({
        directory,
        mockTime: PLANTED_AT,
        options: EARLY,
        news: (news) => {
          if (news._tag === "State") reported = news.state.height
        },
        // The first block is committed, then comes the entry of the second one, and nothing after that.
        store: (store) => ({
          ...store,
          write: (fill) =>
            Effect.suspend(() => reported === 2 ? Effect.fail(failure("io")) : (writes++, store.write(fill)))
        })
      })
      const [first, second] = plantChain(plantedRoot(), 2)
      yield* session.engine.call("submitBlock", { bytes: first!.bytes.slice() })
      const before = writes
      yield* Effect.flip(session.engine.call("submitBlock", { bytes: second!.bytes.slice() }))
      assert.deepStrictEqual([reported, writes - before], [2, 1])
      yield* reopen(session, PLANTED_AT, { store: (store) => store, news: () => {} })
      const { chain } = session.engine
      assert.deepStrictEqual([chain.tree.tip.hash, chain.dirty], [second!.node.hash, false])
      yield* closeSession(session)
    }))
})

describe("a call behind an early tip", () => {
  it.live("is answered when the mempool has followed and the coins are committed", () =>
    Effect.gen(function*() {
      const asked: Array<Fiber.Fiber<unknown, unknown>> = []
      let ask: ((news: EngineNotification) => void) | undefined
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        options: EARLY,
        extensions: [pool],
        news: (news) => ask?.(news)
      })
      yield* mine({ call }, MATURE)
      const tx = loose({ inputs: [yield* coinbaseAt({ chain }, 1)], values: [REWARD - 1_000n] })
      yield* call("acceptTransaction", { bytes: rawOf(tx) })
      assert.deepStrictEqual((yield* call("mempoolIds", undefined)).txids, idOf(tx))
      const answers: Array<unknown> = []
      ask = (news) => {
        if (news._tag !== "State" || news.state.height !== MATURE + 1 || asked.length > 0) return
        answers.push(chain.ahead !== undefined)
        asked.push(Effect.runFork(Effect.map(call("mempoolIds", undefined), ({ txids }) => {
          answers.push(txids.length, chain.ahead !== undefined, chain.dirty)
        })))
      }
      yield* mine({ call }, 1, [tx])
      yield* Fiber.join(asked[0]!)
      assert.deepStrictEqual(answers, [true, 0, false, false])
    }).pipe(Effect.scoped))

  it.live("does not wait for room on a full disk", () =>
    Effect.gen(function*() {
      let isFull = false
      let reported = 0
      const paused = yield* Deferred.make<void>()
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        options: EARLY,
        news: (news) => {
          if (news._tag !== "State") return
          isFull ||= news.state.height === 2 && reported < 2
          reported = news.state.height
        },
        parts: (parts) => ({ ...parts, lookAgain: Duration.millis(10) }),
        store: (store) => ({
          ...store,
          write: (fill) => Effect.suspend(() => isFull ? Effect.fail(failure("full")) : store.write(fill))
        })
      })
      chain.pauseListeners.add(() => Deferred.doneUnsafe(paused, Effect.void))
      const [first, second] = plantChain(plantedRoot(), 2)
      yield* call("submitBlock", { bytes: first!.bytes.slice() })
      const submitting = yield* Effect.forkChild(call("submitBlock", { bytes: second!.bytes.slice() }))
      yield* Deferred.await(paused)
      assert.strictEqual((yield* call("chainTips", undefined))[0]?.height, 2)
      assert.isTrue(chain.dirty)
      isFull = false
      assert.strictEqual((yield* Effect.flip(Fiber.join(submitting)))._tag, "DiskFull")
      while (chain.dirty) yield* Effect.sleep(10)
      assert.deepStrictEqual(chain.tree.tip.hash, second!.node.hash)
    }).pipe(Effect.scoped))
})
