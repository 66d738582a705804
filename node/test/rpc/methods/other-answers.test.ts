import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { ModulesError } from "../../../src/modules/lifecycle/modules-error.ts"
import { methodNode } from "../method-node.ts"

const KEY = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
const XPUB =
  "tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B"
const CHECKED = "-5 Missing checksum"

describe("getmetrics", () => {
  const coins = { hits: 3, misses: 1, bytes: 10, changes: 0 }
  const lag = { median: 0, p99: 0.25, longest: 0 }
  const thread = (heapUsed: number) => ({ heapUsed, heapLimit: 100, external: 7, lag, pauses: {} })

  it.effect("answers milliseconds a call, shares and seconds, and nothing of an engine that does not answer", () =>
    Effect.gen(function*() {
      let engine: object = { _tag: "Answered", figures: { coins, thread: thread(2) } }
      const methods = new Map([["a", { succeeded: 3, failed: 1, seconds: 2 }], ["b", {
        succeeded: 0,
        failed: 0,
        seconds: 0
      }]])
      const { show } = methodNode({
        more: {
          uptimeSeconds: () => 99,
          metrics: {
            facts: Effect.sync(() => ({ disk: { free: 5 }, engine, main: thread(1) })),
            calls: { totals: () => ({ succeeded: 6, failed: 2, seconds: 4, methods }), inFlight: () => 1 },
            blocks: { durations: { sum: 3, count: 2 } }
          }
        }
      })
      yield* TestClock.setTime(1_700_000_000_999)
      const metrics = yield* show("getmetrics")
      assert.deepStrictEqual(metrics.storage, {
        block_count: 323,
        transaction_count: 1,
        disk_size: 1_234,
        disk_free: 5,
        coin_cache_bytes: 10,
        coin_cache_hit_ratio: 0.75
      })
      assert.deepStrictEqual(metrics.rpc, {
        requests_total: 8,
        requests_success: 6,
        requests_failed: 2,
        requests_in_flight: 1,
        avg_response_time_ms: 500,
        methods: { a: { succeeded: 3, failed: 1, average_ms: 500 }, b: { succeeded: 0, failed: 0, average_ms: 0 } }
      })
      assert.deepStrictEqual(metrics.performance, { blocks_connected: 2, avg_block_processing_time_ms: 1_500 })
      assert.deepStrictEqual([metrics.system.uptime_seconds, metrics.timestamp], [99, 1_700_000_000])
      const used = (heap: number) => ({
        heap_used_bytes: heap,
        heap_limit_bytes: 100,
        external_bytes: 7,
        event_loop_lag_ms: 250
      })
      assert.deepStrictEqual(metrics.system.threads, { main: used(1), engine: used(2) })
      const { system, user } = process.cpuUsage()
      assert.approximately(metrics.system.cpu_seconds, (system + user) / 1e6, 5)
      assert.isAbove(metrics.system.memory_usage_bytes, 1e6)
      engine = { _tag: "Answered", figures: { coins: { ...coins, hits: 0, misses: 0 }, thread: thread(2) } }
      assert.notProperty((yield* show("getmetrics")).storage, "coin_cache_hit_ratio")
      engine = { _tag: "Silent" }
      const without = yield* show("getmetrics")
      assert.deepStrictEqual([Object.keys(without.system.threads), without.storage.coin_cache_bytes], [
        ["main"],
        undefined
      ])
    }))
})

describe("addresses of descriptors", () => {
  it.effect("need a checksum, and a range where the descriptor is ranged and only there", () =>
    Effect.gen(function*() {
      const { show, text } = methodNode()
      const checked = (descriptor: string) =>
        Effect.map(show("getdescriptorinfo", descriptor), ({ checksum }) => `${descriptor}#${checksum}`)
      const derive = (descriptor: string, ...range: ReadonlyArray<unknown>) =>
        Effect.flatMap(checked(descriptor), (whole) => show("deriveaddresses", whole, ...range))
      assert.strictEqual(yield* text("deriveaddresses", `pkh(${KEY})`), CHECKED)
      assert.deepStrictEqual(yield* derive(`wpkh(${KEY})`), ["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"])
      const ranged = `wpkh(${XPUB}/*)`
      assert.strictEqual(yield* derive(ranged), "-8 Range must be specified for a ranged descriptor")
      assert.strictEqual(
        yield* derive(`wpkh(${KEY})`, 1),
        "-8 Range should not be specified for an un-ranged descriptor"
      )
      const all = yield* derive(ranged, 2)
      assert.deepStrictEqual([all.length, yield* derive(ranged, [0, 2]), yield* derive(ranged, [1, 1])], [3, all, [
        all[1]
      ]])
      const both = yield* derive(`wpkh(${XPUB}/<0;1>/*)`, 0)
      assert.deepStrictEqual([both.length, both[0].length], [2, 1])
      assert.strictEqual((yield* derive(`combo(${KEY})`)).length, 3, "the bare key has no address")
      const none = "-5 Descriptor does not have a corresponding address"
      for (const descriptor of [`pk(${KEY})`, `multi(1,${KEY})`, "raw(51)"]) {
        assert.strictEqual(yield* derive(descriptor), none)
      }
      assert.strictEqual(yield* derive(`unused(${KEY})`), "-1 Unexpected empty result")
      assert.strictEqual(yield* derive(`wpkh(${XPUB}/0h)`), "-5 Cannot derive script without private keys")
      assert.match(
        yield* text("deriveaddresses", ranged, "x"),
        /^-8 Range must be specified as end or as \[begin,end\]/
      )
    }))

  it.effect("are those of messages that their keys signed", () =>
    Effect.gen(function*() {
      const { show, text } = methodNode()
      const wif = "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA"
      const address = "mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r"
      const signature = yield* show("signmessagewithprivkey", wif, "hello")
      assert.strictEqual(yield* text("verifymessage", address, signature, "hello"), "true")
      assert.strictEqual(yield* text("verifymessage", address, signature, "other"), "false")
      assert.strictEqual(yield* text("verifymessage", address, "", "hello"), "false")
      assert.strictEqual(
        yield* text("verifymessage", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", signature, "hello"),
        "false"
      )
      assert.strictEqual(
        yield* text("verifymessage", address, `${signature}=`, "hello"),
        "-3 Malformed base64 encoding"
      )
      assert.strictEqual(
        yield* text("verifymessage", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", signature, "hello"),
        "-3 Address does not refer to key"
      )
      assert.strictEqual(yield* text("verifymessage", "x", signature, "hello"), "-5 Invalid address")
      assert.strictEqual(yield* text("signmessagewithprivkey", "x", "hello"), "-5 Invalid private key")
    }))
})

describe("modules", () => {
  it.effect("are refused with a code for each reason, and where the node runs none", () =>
    Effect.gen(function*() {
      const loaded = (reason: ModulesError["reason"]) =>
        methodNode({ more: { modules: () => ({ load: () => Effect.fail({ message: "m", reason }) }) } }).text(
          "loadmodule",
          "a"
        )
      assert.deepStrictEqual(
        yield* Effect.forEach(["unknown", "refused", "in the way", "failed"] as const, loaded),
        ["-8 Error: m", "-25 Error: m", "-1 Error: m", "-1 Error: m"]
      )
      assert.match(yield* methodNode().text("listmodules"), /^-1 Error: The node runs no modules/)
    }))

  it.effect("are shown with what they use, in seconds", () =>
    Effect.gen(function*() {
      const usage = { memoryBytes: 5, processorMs: 1_500 }
      const events = { delivered: 1, failed: 2, channelFull: 3 }
      const status = {
        name: "a",
        status: "loaded",
        restarts: 0,
        directory: "/m",
        errors: [],
        capabilities: new Set(["x"])
      }
      const figures = { usage, events, requests: { answered: 4, refused: 5 }, health: {} }
      const modules = () => ({
        list: () => [{ ...status, figures, pid: 9 }, { ...status, figures: { ...figures, usage: undefined } }, status]
      })
      const [whole, unused, idle] = yield* methodNode({ more: { modules } }).show("listmodules")
      assert.deepInclude(whole, { memory_bytes: 5, cpu_seconds: 1.5, pid: 9, capabilities: ["x"] })
      assert.deepStrictEqual([whole.events, whole.requests], [
        { delivered: 1, failed: 2, dropped: 3 },
        { answered: 4, refused: 5 }
      ])
      assert.deepStrictEqual(["cpu_seconds" in unused, "requests" in unused, "requests" in idle], [false, true, false])
    }))

  it.effect("run commands with texts, whose output is the answer", () =>
    Effect.gen(function*() {
      const given: Array<unknown> = []
      const run = (...args: ReadonlyArray<unknown>) =>
        Effect.suspend(() => {
          given.push(args)
          return args[1] === "fail"
            ? Effect.fail({ kind: undefined, text: "broken" })
            : Effect.succeed({ stdout: "o", stderr: "e", exitCode: 3 })
        })
      const { show, text } = methodNode({ more: { modules: () => ({ methods: { run } }) } })
      assert.deepStrictEqual(yield* show("runmodulecli", "a", "b"), { stdout: "o", stderr: "e", exit_code: 3 })
      assert.deepStrictEqual(yield* show("runmodulecli", "a", "b", ["c"]), { stdout: "o", stderr: "e", exit_code: 3 })
      assert.deepStrictEqual(given, [["a", "b", []], ["a", "b", ["c"]]])
      assert.strictEqual(yield* text("runmodulecli", "a", "fail"), "-1 Error: broken")
      assert.match(yield* text("runmodulecli", "a", "b", [5]), /^-3 /)
    }))
})
