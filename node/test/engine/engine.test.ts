import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import type { EngineError } from "../../src/engine/api/engine-error.ts"
import { shownError } from "../rpc/shown-error.ts"
import { maintenance } from "../../src/maintenance/maintenance.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { forgetPlaces } from "../../src/engine/header-index/block-place.ts"
import { storeError } from "../../src/storage/key-value/engine-error.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine } from "./test-engine.ts"
import { patience } from "../process/patience.ts"

const TRUE = Uint8Array.of(0x51)

const request = (blocks: number) => ({ script: TRUE, blocks, maxTries: 1_000_000, transactions: [], submit: true })

describe("the engine on a disk", () => {
  it.live("mines, stops and finds everything again", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const hashes = yield* Effect.scoped(Effect.gen(function*() {
        const { call } = yield* testEngine({ directory })
        const mined = yield* call("generate", request(110))
        return mined.hashes
      }))
      assert.strictEqual(hashes.length, 110)
      yield* Effect.scoped(Effect.gen(function*() {
        const { call, chain } = yield* testEngine({ directory })
        assert.strictEqual(chain.tree.tip.height, 110)
        assert.deepStrictEqual(yield* call("hashAt", { height: 110 }), hashes[109])
        assert.deepStrictEqual(yield* call("hashAt", { height: 1 }), hashes[0])
        const statistics = yield* call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })
        assert.strictEqual(statistics.txouts, 110)
        assert.strictEqual(statistics.total, 110n * 5_000_000_000n)
        yield* call("invalidateBlock", { hash: hashes[49]! })
        assert.strictEqual(chain.tree.tip.height, 49)
        const after = yield* call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })
        assert.strictEqual(after.txouts, 49)
        yield* call("reconsiderBlock", { hash: hashes[49]! })
        const again = yield* call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })
        assert.deepStrictEqual(again.setHash, statistics.setHash)
      }))
    }))

  it.live("has the clock that its options set, from the start until a call sets another", () =>
    Effect.gen(function*() {
      const options = { mockTime: 1_600_000_000 }
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, options })
      assert.strictEqual(chain.clock.now(), 1_600_000_000)
      yield* call("setMockTime", { time: 1_600_000_100 })
      assert.strictEqual(chain.clock.now(), 1_600_000_100)
    }))

  it.live("notifies of the state before it answers, and only of blocks that are on disk", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const received: Array<EngineNotification> = []
      const { call, chain } = yield* testEngine({ directory, news: (news) => received.push(news) })
      received.length = 0
      yield* call("generate", request(2))
      const state = received.findLast((news) => news._tag === "State")
      assert.strictEqual(state?.state.height, 2)
      assert.strictEqual(chain.tree.changed.size, 0)
      const events = received.flatMap((news) => news._tag === "Event" ? [news.event.type] : [])
      assert.strictEqual(events.filter((type) => type === "NewBlock").length, 2)
      assert.strictEqual(events.filter((type) => type === "BlockMined").length, 2)
    }))

  it.live("does not go back behind what is pruned", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
      const { hashes } = yield* call("generate", request(20))
      for (let height = 1; height <= 10; height++) forgetPlaces(chain.tree, activeAt(chain.tree, height)!)
      const refused = yield* Effect.flip(call("invalidateBlock", { hash: hashes[8]! }))
      assert.deepStrictEqual(refused, { _tag: "BlockPruned", hash: hashes[9]!, height: 10 })
      assert.include(shownError(refused).message, "at height 10 is pruned")
      assert.strictEqual(chain.tree.tip.height, 20)
      yield* call("invalidateBlock", { hash: hashes[10]! })
      assert.strictEqual(chain.tree.tip.height, 10)
      yield* call("reconsiderBlock", { hash: hashes[10]! })
      assert.strictEqual(chain.tree.tip.height, 20)
    }))

  it.live("answers calls that come together after one commit for all", () =>
    Effect.gen(function*() {
      let commits = 0
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        store: (store) => ({
          ...store,
          write: (fill) => {
            commits++
            return store.write(fill)
          }
        })
      })
      commits = 0
      yield* Effect.all(Array.from({ length: 40 }, () => call("generate", request(1))), { concurrency: "unbounded" })
      assert.strictEqual(chain.tree.tip.height, 40)
      assert.isBelow(commits, 5)
      yield* Effect.all([call("generate", request(1)), call("generate", request(1))])
      assert.strictEqual(chain.tree.changed.size, 0)
    }))

  it.live("answers a call whose commit the next call made by itself", () =>
    Effect.gen(function*() {
      const { call } = yield* testEngine({ directory: yield* temporaryDirectory })
      const both = Effect.all([call("generate", request(1)), call("flush", undefined)], { concurrency: "unbounded" })
      const [{ hashes }] = yield* Effect.timeout(both, patience(5_000))
      assert.strictEqual(hashes.length, 1)
    }))

  it.live("leaves no caller waiting when the disk breaks between a change and its commit", () =>
    Effect.gen(function*() {
      const received: Array<EngineNotification> = []
      let works = true
      const { call } = yield* testEngine({
        directory: yield* temporaryDirectory,
        news: (news) => received.push(news),
        store: (store) => ({
          ...store,
          write: (fill) =>
            Effect.suspend(() =>
              works ? store.write(fill) : Effect.fail(storeError("io", "write", "(test)", "it broke"))
            )
        })
      })
      yield* call("generate", request(1))
      works = false
      const outcomes = yield* Effect.all(
        Array.from({ length: 10 }, () => Effect.result(call("generate", request(1)))),
        { concurrency: "unbounded" }
      )
      assert.isTrue(outcomes.every(({ _tag }) => _tag === "Failure"))
      assert.strictEqual(received.filter(({ _tag }) => _tag === "Fatal").length, 1)
      works = true
      const later = yield* Effect.flip(call("generate", request(1)))
      assert.include(shownError(later).message, "it broke", "what was not written is not built on")
    }))

  it.live("refuses calls while the disk is full, says so, writes later what was begun, and can be stopped meanwhile", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const received: Array<EngineNotification> = []
      let full = false
      const inMemory = yield* Effect.scoped(Effect.gen(function*() {
        const { call } = yield* testEngine({
          directory,
          news: (news) => received.push(news),
          extensions: [maintenance],
          parts: (parts) => ({
            ...parts,
            lookAgain: Duration.millis(5),
            disk: { ...parts.disk, space: () => Effect.succeed({ free: full ? 0 : 1_000_000, total: 1_000_000 }) }
          }),
          store: (store) => ({
            ...store,
            write: (fill) =>
              Effect.suspend(() =>
                full ? Effect.fail(storeError("full", "write", "(test)", "no space")) : store.write(fill)
              )
          })
        })
        // A call that waits for the disk cannot be interrupted: the disk has room again before the engine ends.
        yield* Effect.addFinalizer(() => Effect.sync(() => void (full = false)))
        yield* call("generate", request(1))
        const warnings = () => received.findLast((news) => news._tag === "State")?.state.warnings ?? []
        full = true
        const begun = yield* Effect.flip(call("generate", request(5)))
        assert.include(shownError(begun).message, "no space")
        assert.strictEqual(warnings().length, 1)
        const calls: ReadonlyArray<Effect.Effect<unknown, EngineError>> = [
          call("generate", request(1)),
          call("submitBlock", { bytes: new Uint8Array(80) }),
          call("submitHeader", { bytes: new Uint8Array(80) }),
          call("invalidateBlock", { hash: new Uint8Array(32) }),
          call("verifyChain", { level: 1, blocks: 1 }),
          call("coin", { txid: new Uint8Array(32), vout: 0 }),
          call("setStatistics", { hashType: "none", at: undefined, useIndex: false })
        ]
        for (const refused of calls) {
          const error = shownError(yield* Effect.flip(refused))
          assert.strictEqual(error.code, -20)
          assert.include(error.message, "The disk is full")
        }
        // On a busy machine the first commit comes before all five blocks are made.
        const { height } = (yield* call("chainTips", undefined))[0]!
        assert.isTrue(height >= 2 && height <= 6, "questions are answered")
        full = false
        while (warnings().length > 0) yield* Effect.sleep(5)
        // What stood in memory is written; of a call that was refused while it made blocks no more than those come.
        assert.strictEqual((yield* call("generate", request(1))).hashes.length, 1)
        assert.deepStrictEqual(warnings(), [])

        full = true
        const stopped = yield* Effect.forkChild(Effect.result(call("generate", request(1))), { startImmediately: true })
        yield* Effect.sleep(50)
        const closed = yield* Effect.result(call("close", undefined))
        assert.strictEqual(closed._tag, "Failure", "the answer to the stop says that the last changes are lost")
        assert.strictEqual((yield* Fiber.join(stopped))._tag, "Failure")
        assert.isFalse(received.some(({ _tag }) => _tag === "Fatal"))
        return height
      }))
      const { chain } = yield* testEngine({ directory })
      assert.strictEqual(chain.tree.tip.height, inMemory + 1)
    }))
})
