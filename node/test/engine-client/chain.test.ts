import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { failureText } from "../../src/engine-client/chain.ts"
import { startChain } from "../../src/engine-client/start-chain.ts"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import { regtestOptions } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const optionsIn = (directory: string): EngineOptions => regtestOptions(directory)

const request = (blocks: number) => ({
  script: Uint8Array.of(0x51),
  blocks,
  maxTries: 1_000_000,
  transactions: [],
  submit: true
})

describe("the chain from the main thread", () => {
  it.live("notifies of every event, however many blocks one commit brings", () =>
    Effect.gen(function*() {
      const chain = yield* startChain(optionsIn(yield* temporaryDirectory))
      yield* chain.ready
      const heights: Array<number> = []
      chain.subscribe((news) => {
        if (news._tag === "Event" && news.event.type === "NewBlock") heights.push(news.event.payload.height)
      })
      yield* chain.call("generate", request(4_000))
      assert.deepStrictEqual(heights, Array.from({ length: 4_000 }, (_, i) => i + 1))
    }))

  it.live("calls the engine, is notified, and finds everything after a stop", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const mined = yield* Effect.scoped(Effect.gen(function*() {
        const chain = yield* startChain(optionsIn(directory))
        yield* chain.ready
        assert.strictEqual(chain.state()?.height, 0)
        let seen = 0
        chain.subscribe((news) => {
          if (news._tag === "Event" && news.event.type === "NewBlock") seen++
        })
        const { hashes } = yield* chain.call("generate", request(3))
        assert.strictEqual(chain.state()?.height, 3)
        assert.deepStrictEqual(chain.state()?.hash, hashes[2])
        assert.strictEqual(seen, 3)
        const refused = yield* Effect.flip(chain.call("invalidateBlock", { hash: new Uint8Array(32) }))
        assert.deepInclude(refused, { _tag: "BlockNotFound", hash: new Uint8Array(32) })
        return hashes
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const chain = yield* startChain(optionsIn(directory))
        yield* chain.ready
        assert.deepStrictEqual(yield* chain.call("hashAt", { height: 3 }), mined[2])
        const facts = yield* chain.call("blockFacts", { hash: mined[1]! })
        assert.strictEqual(facts?.confirmations, 2)
      }))
    }))

  it.live("says why the engine cannot start", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      writeFileSync(join(directory, "blocks"), "a file where a directory should be")
      const chain = yield* startChain(optionsIn(directory))
      const failure = yield* Effect.flip(chain.ready)
      assert.include(failure.message, directory)
      const refused = yield* Effect.flip(chain.call("flush", undefined))
      assert.strictEqual(refused._tag, "EngineFailure")
    }))

  it.live("is notified when the engine dies: calls fail, and the node is to stop", () =>
    Effect.gen(function*() {
      const dying = `
        const { parentPort } = require("node:worker_threads")
        parentPort.postMessage({ _tag: "Ready" })
        parentPort.on("message", () => { throw new Error("the engine broke") })
      `
      const chain = yield* startChain(optionsIn(yield* temporaryDirectory), () => new Worker(dying, { eval: true }))
      yield* chain.ready
      let fatal = "none"
      chain.subscribe((news) => {
        if (news._tag === "Fatal") fatal = news.message
      })
      const failure = yield* Effect.flip(chain.call("flush", undefined))
      assert.strictEqual(failure._tag, "EngineFailure")
      assert.include(failureText(failure), "the engine broke")
      assert.include(fatal, "the engine broke")
      const later = yield* Effect.flip(chain.call("flush", undefined))
      assert.strictEqual(later._tag, "EngineFailure")
    }))
})
