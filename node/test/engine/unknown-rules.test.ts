import { assert, describe, it } from "@effect/vitest"
import { expandTarget, hashNumber } from "@lockstep/kernel/work"
import * as Effect from "effect/Effect"
import { assembleBlock, setNonce } from "../../src/engine/mining/block-assembly.ts"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { chainState } from "../../src/engine/chainstate/push-state.ts"
import { unknownRulesWatch } from "../../src/engine/validation/unknown-rules.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testCrypto, testEngine } from "./test-engine.ts"

const SILENT = 0x20000000
const BIT = 3
const NOW = 1_700_000_000

/** A block on the tip that signals. */
const mine = Effect.fnUntraced(function*({ call, chain }: RunningEngine, version: number) {
  const { clock, parameters, tree } = chain
  const contents = { script: Uint8Array.of(0x51), transactions: [], fees: 0n, now: clock.now(), version }
  const draft = assembleBlock(tree.tip, contents, parameters, testCrypto)
  for (let nonce = 0;; nonce++) {
    const block = setNonce(draft, nonce)
    if (hashNumber(testCrypto.sha256d(block.bytes.subarray(0, 80))) > expandTarget(block.header.bits)!) continue
    const { result } = yield* call("submitBlock", { bytes: block.bytes.slice() })
    assert.isUndefined(result)
    return
  }
})

describe("a node whose chain has rules that it does not know", () => {
  it.live("warns when they come into force, and again after a restart", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const received: Array<EngineNotification> = []
      const eventsOf = (): ReadonlyArray<unknown> =>
        received.flatMap((news) =>
          news._tag === "Event" && JSON.stringify(news.event).includes("versionbit") ? [news.event] : []
        )
      const warning = [`Unknown new rules activated (versionbit ${BIT})`]
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* testEngine({
          directory,
          mockTime: NOW,
          extensions: [unknownRulesWatch],
          news: (news) => received.push(news)
        })
        for (let height = 1; height < 144; height++) yield* mine(engine, SILENT)
        for (let height = 144; height < 288; height++) yield* mine(engine, SILENT | (1 << BIT))
        assert.deepStrictEqual(eventsOf(), [{
          type: "SoftForkLockedIn",
          payload: { name: `unknown (versionbit ${BIT})`, height: 288 }
        }])
        assert.deepStrictEqual(chainState(engine.chain).warnings, [])
        for (let height = 288; height < 432; height++) yield* mine(engine, SILENT)
        assert.deepStrictEqual(chainState(engine.chain).warnings, warning)
        const observed = received.findLast((news) => news._tag === "State")
        assert.deepStrictEqual(observed?._tag === "State" ? observed.state.warnings : [], warning)
        yield* mine(engine, SILENT)
        assert.deepStrictEqual(eventsOf().slice(1), [{
          type: "SoftForkActivated",
          payload: { name: `unknown (versionbit ${BIT})`, height: 432 }
        }])
        const lines = received.filter((news) => news._tag === "Log" && news.message === "Unknown new rules activated")
        assert.deepInclude(lines[0], { level: "warn", fields: { versionbit: BIT } })
      }))
      const again = yield* testEngine({ directory, mockTime: NOW, extensions: [unknownRulesWatch] })
      assert.deepStrictEqual(chainState(again.chain).warnings, warning)
    }))

  it.live("does not warn in the initial download", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* testEngine({ directory, mockTime: NOW })
        for (let height = 1; height < 432; height++) yield* mine(engine, height < 144 ? SILENT : SILENT | (1 << BIT))
      }))
      const later = yield* testEngine({ directory, mockTime: NOW + 3 * 86_400, extensions: [unknownRulesWatch] })
      assert.deepStrictEqual([later.chain.initialBlockDownload, chainState(later.chain).warnings], [true, []])
      yield* mine(later, SILENT)
      assert.lengthOf(chainState(later.chain).warnings, 1)
    }))
})
