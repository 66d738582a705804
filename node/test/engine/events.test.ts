import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { displayHash } from "../../src/hex.ts"
import type { NodeEvent } from "../../src/events/node-event.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine } from "./test-engine.ts"
import { request } from "./generate-request.ts"

/** An engine and what it has reported. */
const listening = Effect.gen(function*() {
  const received: Array<EngineNotification> = []
  const engine = yield* testEngine({
    directory: yield* temporaryDirectory,
    options: { activationHeights: { segwit: 3 } },
    news: (news) => received.push(news)
  })
  const lines: Array<Extract<EngineNotification, { readonly _tag: "Log" }>> = []
  /** Without those for miners, which follow every commit. */
  const events = (): ReadonlyArray<NodeEvent> =>
    received.splice(0).flatMap((news) => {
      if (news._tag === "Log") lines.push(news)
      return news._tag === "Event" && news.event.type !== "BlockTemplateUpdated" ? [news.event] : []
    })
  return { ...engine, events, lines }
})

const typesOf = (events: ReadonlyArray<NodeEvent>): ReadonlyArray<string> => events.map(({ type }) => type)

describe("events of the engine", () => {
  it.live("of a block that is connected, in order", () =>
    Effect.gen(function*() {
      const { call, events } = yield* listening
      events()
      const { hashes } = yield* call("generate", request(1))
      const observed = events()
      // It is the first of all heights at which deployments begin.
      assert.deepStrictEqual(typesOf(observed), [
        "BlockValidationStarted",
        "UTXOValidationStarted",
        "UTXOValidationCompleted",
        "BlockValidationCompleted",
        "NewBlock",
        "SoftForkActivated",
        "SoftForkActivated",
        "SoftForkActivated",
        "SoftForkActivated",
        "BlockMined"
      ])
      const hash = displayHash(hashes[0]!)
      assert.deepInclude(observed.find(({ type }) => type === "NewBlock")?.payload, {
        block_hash: hash,
        height: 1,
        transactions: 1
      })
      assert.deepInclude(observed.at(-1)?.payload, { block_hash: hash, height: 1, reward: 5_000_000_000 })
      assert.deepInclude(observed.find(({ type }) => type === "BlockValidationCompleted")?.payload, {
        block_hash: hash,
        valid: true
      })
      yield* call("generate", request(2))
      assert.deepInclude(events().findLast(({ type }) => type === "SoftForkActivated")?.payload, {
        name: "segwit",
        height: 3
      })
    }))

  it.live("of a deployment that miners signal for: locked in after one period of signals, in force after the next", () =>
    Effect.gen(function*() {
      const { call, events } = yield* listening
      yield* call("generate", request(287))
      assert.isUndefined(events().find(({ type }) => type === "SoftForkLockedIn"))
      yield* call("generate", request(1))
      assert.deepStrictEqual(events().find(({ type }) => type === "SoftForkLockedIn")?.payload, {
        name: "testdummy",
        height: 288
      })
      yield* call("generate", request(144))
      const observed = events().filter(({ type }) => type.startsWith("SoftFork"))
      assert.deepStrictEqual(observed, [{ type: "SoftForkActivated", payload: { name: "testdummy", height: 432 } }])
    }))

  it.live("of a chain that moves to another branch", () =>
    Effect.gen(function*() {
      const { call, chain, events } = yield* listening
      const { hashes } = yield* call("generate", request(3))
      yield* call("invalidateBlock", { hash: hashes[1]! })
      yield* call("generate", request(1, 0x52))
      const other = chain.tree.tip
      events()
      yield* call("reconsiderBlock", { hash: hashes[1]! })
      const observed = events()
      assert.deepStrictEqual(
        typesOf(observed).filter((type) =>
          type === "BlockDisconnected" || type === "NewBlock" || type === "ChainReorg"
        ),
        [
          "BlockDisconnected",
          "NewBlock",
          "NewBlock",
          "ChainReorg"
        ]
      )
      assert.deepStrictEqual(observed.find(({ type }) => type === "BlockDisconnected")?.payload, {
        block_hash: displayHash(other.hash),
        height: 2
      })
      assert.deepStrictEqual(observed.at(-1)?.payload, {
        old_tip: displayHash(other.hash),
        new_tip: displayHash(hashes[2]!),
        fork_hash: displayHash(hashes[0]!),
        fork_height: 1,
        disconnected: 1,
        connected: 2
      })
    }))

  it.live("of a new tip and of a chain that moved there are lines in the log, too", () =>
    Effect.gen(function*() {
      const { call, events, lines } = yield* listening
      const { hashes } = yield* call("generate", request(2))
      yield* call("invalidateBlock", { hash: hashes[0]! })
      yield* call("generate", request(1, 0x52))
      yield* call("reconsiderBlock", { hash: hashes[0]! })
      events()
      const tips = lines.filter(({ message }) => message === "a new tip")
      assert.deepInclude(tips[0], {
        level: "info",
        fields: { block_hash: displayHash(hashes[1]!), height: 2, transactions: 1 }
      })
      const moved = lines.filter(({ message }) => message === "the chain moved to another branch")
      assert.strictEqual(moved[0]?.level, "warn")
      assert.deepInclude(moved[0]!.fields, { disconnected: 1, connected: 2, fork_height: 0 })
    }))

  it.live("of a block that breaks a rule", () =>
    Effect.gen(function*() {
      const { call, events } = yield* listening
      const { block } = yield* call("generate", { ...request(1), submit: false })
      // Another coinbase output: the header no longer commits to it.
      block![block!.length - 20]! ^= 1
      events()
      const { result } = yield* call("submitBlock", { bytes: block! })
      assert.strictEqual(result, "bad-txnmrklroot")
      const [violation] = events()
      assert.deepInclude(violation?.payload, { rule: "BLK-002", reason: "bad-txnmrklroot, hashMerkleRoot mismatch" })
    }))

  it.live("of the tip that blocks are to be made on, once for all blocks of a commit, and not in the initial download", () =>
    Effect.gen(function*() {
      const received: Array<EngineNotification> = []
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: 1_700_000_000,
        news: (news) => received.push(news)
      })
      const typesSince = (): ReadonlyArray<string> =>
        received.splice(0).flatMap((news) =>
          news._tag === "Event" && /NewBlock|Template/.test(news.event.type) ? [news.event.type] : []
        )
      const last = (): unknown => received.findLast((news) => news._tag === "Event")
      const first = yield* call("generate", { ...request(1), submit: false })
      yield* call("generate", request(3))
      assert.deepInclude(last(), {
        event: {
          type: "BlockTemplateUpdated",
          payload: { previous_hash: displayHash(chain.tree.tip.hash), height: 4, transactions: 0 }
        }
      })
      assert.deepStrictEqual(typesSince(), ["NewBlock", "NewBlock", "NewBlock", "BlockTemplateUpdated"])
      yield* call("invalidateBlock", { hash: chain.tree.tip.hash })
      assert.deepStrictEqual(typesSince(), ["BlockTemplateUpdated"])
      yield* call("flush", undefined)
      assert.deepStrictEqual(typesSince(), [])
      // By the machine's clock that block is years old.
      const old = yield* testEngine({
        directory: yield* temporaryDirectory,
        news: (news) => received.push(news)
      })
      yield* old.call("submitBlock", { bytes: first.block! })
      yield* old.call("flush", undefined)
      assert.deepStrictEqual([old.chain.tree.tip.height, old.chain.initialBlockDownload], [1, true])
      assert.deepStrictEqual(typesSince(), ["NewBlock"])
    }))

  it.live("of a difficulty period that begins", () =>
    Effect.gen(function*() {
      const { call, events } = yield* listening
      yield* call("generate", request(143))
      events()
      yield* call("generate", request(1))
      assert.deepInclude(events().find(({ type }) => type === "DifficultyAdjusted")?.payload, {
        height: 144,
        old_bits: "207fffff",
        new_bits: "207fffff"
      })
    }))
})
