import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { LogLevel } from "../../src/config/config.ts"
import { Log, logLayer } from "../../src/log/log-layer.ts"
import { formatHuman, formatJson } from "../../src/log/format.ts"
import { logOutput } from "../../src/log/log-output.ts"
import { isWanted, type LogRecord } from "../../src/log/log-record.ts"
import { rateLimit } from "../../src/log/rate-limit.ts"

const record = (change: Partial<LogRecord> = {}): LogRecord => ({
  time: new Date("2026-11-20T12:00:00.000Z"),
  level: "info",
  category: "chain",
  message: "new tip",
  fields: { height: 7, hash: "00ff" },
  ...change
})

describe("levels of the configuration", () => {
  const levelsOf = (categories: Readonly<Record<string, LogLevel>>) =>
    Effect.map(Log, (log) => log.levels()).pipe(
      Effect.provide(logLayer({ level: "info", categories, format: "json", file: undefined }))
    )

  it.effect("that name a category of Bitcoin Core's count for the category here that has such lines", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* levelsOf({ validation: "debug", prune: "trace", qt: "debug" })).categories, {
        validation: "debug",
        prune: "trace",
        qt: "debug",
        chain: "trace"
      })
      assert.deepStrictEqual((yield* levelsOf({ validation: "debug", chain: "warn", net: "debug" })).categories, {
        validation: "debug",
        chain: "warn",
        net: "debug"
      }, "what is said of our own counts")
      assert.deepStrictEqual(
        (yield* levelsOf({ addrman: "none" })).categories,
        { addrman: "none" },
        "one of several names silences nothing"
      )
    }))
})

describe("a line of the log", () => {
  it("is one line for people, whatever its fields hold", () => {
    assert.strictEqual(formatHuman(record()), "2026-11-20T12:00:00.000Z info  [chain] new tip height=7 hash=00ff")
    const hostile = formatHuman(record({ message: "a\nb", fields: { agent: "x\n2026 ERROR fake", work: 12n } }))
    assert.notInclude(hostile, "\n")
    assert.include(hostile, String.raw`agent="x\n2026 ERROR fake"`)
    assert.include(hostile, "work=12")
  })

  it("is one JSON object for programs; a field cannot take the place of what every line has", () => {
    const line = JSON.parse(
      formatJson(record({ fields: { level: "fake", big: 10n ** 20n, cause: new Error("broken") } }))
    )
    assert.deepStrictEqual(line, {
      time: "2026-11-20T12:00:00.000Z",
      level: "info",
      category: "chain",
      message: "new tip",
      field_level: "fake",
      big: "100000000000000000000",
      cause: "broken"
    })
  })

  it("is written by the level of its category, or else of all", () => {
    const levels = { level: "warn", categories: { p2p: "debug", rpc: "none" } } as const
    assert.isFalse(isWanted(levels, { level: "info", category: "chain" }))
    assert.isTrue(isWanted(levels, { level: "error", category: "chain" }))
    assert.isTrue(isWanted(levels, { level: "debug", category: "p2p" }))
    assert.isFalse(isWanted(levels, { level: "trace", category: "p2p" }))
    assert.isFalse(isWanted(levels, { level: "error", category: "rpc" }))
  })
})

describe("the limit on lines from one place", () => {
  it("silences it for the rest of its hour, says so once, and then how many were left out", () => {
    const limit = rateLimit(100)
    const at = (minute: number) => record({ time: new Date(Date.UTC(2026, 10, 20, 12, minute)) })
    assert.strictEqual(limit(at(0), 60)._tag, "Write")
    assert.strictEqual(limit(at(1), 40)._tag, "Write")
    assert.strictEqual(limit(at(2), 1)._tag, "Silence")
    assert.strictEqual(limit(at(3), 1)._tag, "Drop")
    assert.strictEqual(limit(record({ message: "other" }), 60)._tag, "Write")
    assert.deepStrictEqual(limit(at(60), 60), { _tag: "Resume", dropped: 2 })
    assert.strictEqual(limit(at(61), 40)._tag, "Write")
  })

  it("leaves debug lines alone", () => {
    const limit = rateLimit(10)
    for (let i = 0; i < 5; i++) assert.strictEqual(limit(record({ level: "debug" }), 100)._tag, "Write")
  })
})

describe("the log file", () => {
  it("goes on in a new file after reopening, and reports a file that cannot be opened", () => {
    const directory = mkdtempSync(join(tmpdir(), "lockstep-log-"))
    const file = join(directory, "node.log")
    const printed: Array<string> = []
    const print = (text: string): void => void printed.push(text)
    try {
      const output = logOutput({ file, format: "human", print, time: new Date(0) })
      output.write(record({ message: "before" }))
      renameSync(file, `${file}.1`)
      output.write(record({ message: "still the old file" }))
      assert.isUndefined(output.reopen())
      output.write(record({ message: "after" }))
      output.close()
      assert.include(readFileSync(`${file}.1`, "utf8"), "still the old file")
      assert.include(readFileSync(file, "utf8"), "after")
      assert.notInclude(readFileSync(file, "utf8"), "before")
      assert.lengthOf(printed, 3)

      const broken = logOutput({ file: directory, format: "human", print, time: new Date(0) })
      broken.write(record({ message: "goes on" }))
      assert.include(printed[3], "cannot be opened")
      assert.include(printed[4], "goes on")
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
