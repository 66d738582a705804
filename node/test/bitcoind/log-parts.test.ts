import { assert, describe, it } from "@effect/vitest"
import { faultText, type PayloadFault } from "@lockstep/protocol/wire/fault.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { coreLogLayer } from "../../src/bitcoind/log/core-log-layer.ts"
import { lineText } from "../../src/bitcoind/log/core-line.ts"
import { openDebugLog } from "../../src/bitcoind/log/debug-log.ts"
import { exceptionText } from "../../src/bitcoind/log/exception-text.ts"
import { linesOfRecord } from "../../src/bitcoind/log/lines-of-records.ts"
import { linesOfTraceEvent } from "../../src/bitcoind/log/lines-of-trace-events.ts"
import type { LogPlan } from "../../src/bitcoind/plan/log-plan.ts"
import { Log } from "../../src/log/log-layer.ts"
import type { LogRecord } from "../../src/log/log-record.ts"
import { Trace } from "../../src/runtime/trace.ts"
import { LOG_PLAN } from "./debug-log-plan.ts"

/** A log on a console, and what it has printed since the last look. */
const opened = (plan: Partial<LogPlan> = {}) => {
  let printed = ""
  const log = openDebugLog({
    plan: { ...LOG_PLAN, ...plan },
    print: (more) => void (printed += more),
    now: () => 1_700_000_000_000_007n
  })
  if (typeof log === "string") throw new Error(log)
  const seen = (): string => {
    const text = printed.trimStart()
    printed = ""
    return text
  }
  return { log, seen }
}

describe("a line of debug.log", () => {
  it("has six digits of microseconds, its category with its level, and control characters as numbers", () => {
    const line = (plan: Partial<LogPlan>, text: string): string =>
      lineText({ level: "debug", category: "net", text }, { now: 7n, mocked: 0 }, { ...LOG_PLAN, ...plan })
    assert.strictEqual(
      line({ showsMicroseconds: true, showsLevels: true }, "a"),
      "1970-01-01T00:00:00.000007Z [net:debug] a"
    )
    assert.strictEqual(line({ showsTime: false }, "\u001f\u007f\u000b\t"), "[net] \\x1f\\x7f\\x0b\\x09")
  })

  it("has the clock of the machine alone until a time is mocked, and again once it is not", () => {
    const { log, seen } = opened()
    const write = (): string => {
      log.write({ level: "info", text: "a" })
      return seen()
    }
    assert.strictEqual(write(), "2023-11-14T22:13:20Z a\n")
    log.setMockTime(60)
    assert.strictEqual(write(), "2023-11-14T22:13:20Z (mocktime: 1970-01-01T00:01:00Z) a\n")
    log.setMockTime(0)
    assert.strictEqual(write(), "2023-11-14T22:13:20Z a\n")
  })
})

describe("the log of the node in debug.log", () => {
  it.effect("has its records with their fields and cause, and their words as the source", () =>
    Effect.gen(function*() {
      const { log, seen } = opened({ showsTime: false, showsSources: true })
      const record = Effect.annotateLogs(Effect.logWarning("an odd thing"), { category: "chain", count: 3 })
      yield* Effect.provide(record, coreLogLayer(log, false))
      assert.strictEqual(seen(), "[bitcoind] [an odd thing] [warning] an odd thing count=3\n")
      yield* Effect.provide(
        Effect.logError("it failed", Cause.fail(new Error("the reason"))),
        coreLogLayer(log, false)
      )
      assert.match(seen(), /^\[bitcoind\] \[it failed\] \[error\] it failed cause=Error: the reason/)
    }))

  it.effect("has what happens in detail, with its kind as the source", () =>
    Effect.gen(function*() {
      const { log, seen } = opened({ showsTime: false, showsSources: true })
      const { notify } = yield* Effect.provide(Trace, coreLogLayer(log, true))
      notify({ _tag: "Disconnecting", peer: 7, address: "11.0.0.1:5", reason: { _tag: "PingTimeout" } })
      assert.strictEqual(
        seen(),
        "[bitcoind] [Disconnecting] [net] ping timeout, disconnecting peer=7, peeraddr=11.0.0.1:5\n"
      )
    }))

  it.effect("says on the console where the file cannot be opened anew, and nothing where it can", () =>
    Effect.gen(function*() {
      const directory = mkdtempSync(join(tmpdir(), "lockstep-log-"))
      const file = join(directory, "debug.log")
      const { log, seen } = opened({ file, showsTime: false })
      const { reopen, switches } = yield* Effect.provide(Log, coreLogLayer(log, false))
      seen()
      yield* reopen
      assert.strictEqual(seen(), "")
      rmSync(directory, { recursive: true })
      yield* reopen
      assert.strictEqual(seen(), `[error] Could not open debug log file ${file}\n`)
      yield* switches!.set(new Set(["rpc"]))
      assert.deepStrictEqual([...log.categories()], ["rpc"])
      assert.deepStrictEqual([...switches!.on()], ["rpc"])
      log.close()
    }))
})

describe("a record that Bitcoin Core has no words for", () => {
  const lines = (level: LogRecord["level"], category: string, fields: LogRecord["fields"] = {}) =>
    linesOfRecord({ time: new Date(0), level, category, message: "an odd thing", fields })

  it.each<readonly [LogRecord["level"], string]>([
    ["info", "info"],
    ["warn", "warning"],
    ["error", "error"]
  ])("of level %s is one of level %s without a category, with its fields behind it", (level, shown) => {
    const fields = { a: { b: 1 }, c: new Error("why"), d: 2, e: undefined }
    assert.deepStrictEqual(lines(level, "chain", fields) as ReadonlyArray<unknown>, [
      { level: shown, category: undefined, text: "an odd thing a={\"b\":1} c=why d=2 e=undefined" }
    ])
  })

  it.each<readonly [LogRecord["level"], string, string | undefined]>([
    ["debug", "net", "net"],
    ["trace", "rpc", "rpc"],
    ["trace", "chain", "validation"],
    ["debug", "module", undefined]
  ])("of level %s in the category %s has the category %s, and no line without one", (level, category, shown) => {
    const expected = shown === undefined ? [] : [{ level, category: shown, text: "an odd thing" }]
    assert.deepStrictEqual(lines(level, category) as ReadonlyArray<unknown>, expected)
  })
})

describe("headers, stalled downloads and addresses from peers", () => {
  it.each<readonly [object, ReadonlyArray<unknown>]>([
    [
      { _tag: "HeadersPresynced", height: 5, progress: 1.239 },
      [{ level: "info", text: "Pre-synchronizing blockheaders, height: 5 (~1.24%)" }]
    ],
    [{ _tag: "StallStarted", peer: 7 }, [{ level: "debug", category: "net", text: "Stall started peer=7" }]],
    [{ _tag: "AddressesAdded", added: 0, from: "a:1", sent: 2 }, []],
    [
      { _tag: "AddressesAdded", added: 1, from: "a:1", sent: 2 },
      [{ level: "debug", category: "addrman", text: "Added 1 addresses (of 2) from a:1" }]
    ]
  ])("%j has the lines of Bitcoin Core", (happening, expected) => {
    assert.deepStrictEqual(linesOfTraceEvent(happening as never, false) as ReadonlyArray<unknown>, expected)
  })
})

describe("what Bitcoin Core says of a payload that does not decode", () => {
  const malformed = (rule: string): PayloadFault => ({ _tag: "Malformed", rule, offset: 1 }) as unknown as PayloadFault

  it.each<readonly [PayloadFault, string]>([
    [malformed("SER-001"), "non-canonical ReadCompactSize() or ReadCompactSize(): size too large"],
    [malformed("SER-003"), "DataStream::read(): end of data"],
    [malformed("SER-011"), "Superfluous witness record"],
    [malformed("SER-012"), "Unknown transaction optional data"],
    [{ _tag: "IndexOverflow" } as unknown as PayloadFault, "indexes overflowed 16 bits"],
    [
      { _tag: "TooLong", what: "address", length: 513, most: 512 } as unknown as PayloadFault,
      "Address too long: 513 > 512"
    ]
  ])("%j is in its words", (fault, text) => {
    assert.strictEqual(exceptionText(fault), text)
  })

  it.each<readonly [PayloadFault]>([
    [malformed("SER-002")],
    [{ _tag: "TooLong", what: "user agent", length: 257, most: 256 } as unknown as PayloadFault]
  ])("%j is in those of this node where it has none", (fault) => {
    assert.strictEqual(exceptionText(fault), faultText(fault))
    assert.isNotEmpty(faultText(fault))
  })
})
