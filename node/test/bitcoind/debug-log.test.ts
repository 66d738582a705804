import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { coreLogLayer } from "../../src/bitcoind/log/core-log-layer.ts"
import { type CoreLine, lineText } from "../../src/bitcoind/log/core-line.ts"
import { openDebugLog } from "../../src/bitcoind/log/debug-log.ts"
import { shrinkLog } from "../../src/bitcoind/log/shrink.ts"
import type { LogPlan } from "../../src/bitcoind/plan/log-plan.ts"
import { isOn } from "../../src/log/category-switches.ts"
import { CORE_CATEGORIES } from "../../src/log/core-categories.ts"
import { Log } from "../../src/log/log-layer.ts"
import { LOG_PLAN } from "./debug-log-plan.ts"

const TIME = { now: 1_700_000_000_123_456n, mocked: 0 }

const text = (line: CoreLine, plan: Partial<LogPlan> = {}, mocked = 0): string =>
  lineText(line, { ...TIME, mocked }, { ...LOG_PLAN, ...plan })

describe("a line of debug.log", () => {
  it("has time and tags as Bitcoin Core writes them", () => {
    assert.strictEqual(text({ level: "info", text: "x" }), "2023-11-14T22:13:20Z x")
    assert.strictEqual(text({ level: "warning", text: "x" }), "2023-11-14T22:13:20Z [warning] x")
    assert.strictEqual(text({ level: "debug", category: "net", text: "x" }), "2023-11-14T22:13:20Z [net] x")
    assert.strictEqual(text({ level: "info", category: "net", text: "x" }), "2023-11-14T22:13:20Z [net:info] x")
    assert.strictEqual(text({ level: "info", text: "x" }, { showsLevels: true }), "2023-11-14T22:13:20Z [all:info] x")
    assert.strictEqual(
      text({ level: "info", text: "x" }, { showsMicroseconds: true, showsThreads: true }),
      "2023-11-14T22:13:20.123456Z [main] x"
    )
    assert.strictEqual(
      text({ level: "info", text: "x" }, {}, 1_700_000_000),
      "2023-11-14T22:13:20Z (mocktime: 2023-11-14T22:13:20Z) x"
    )
    assert.strictEqual(text({ level: "info", text: "x" }, { showsTime: false }), "x")
  })

  it("is one line, whatever a peer sends", () => {
    assert.strictEqual(text({ level: "info", text: "a\nb\u0001\n" }, { showsTime: false }), "a\\x0ab\\x01\n")
  })
})

describe("the categories of debug.log", () => {
  it.effect("are on and off by their own names", () =>
    Effect.gen(function*() {
      const categories = new Set(["net", "validation"])
      const opened = openDebugLog({ plan: { ...LOG_PLAN, categories }, print: () => {}, now: () => TIME.now })
      if (typeof opened === "string") throw new Error(opened)
      const { levels } = yield* Effect.provide(Log, coreLogLayer(opened, false))
      const on = Object.keys(CORE_CATEGORIES).filter((name) => isOn(levels(), name))
      assert.deepStrictEqual(on, ["net", "validation"])
    }))
})

describe("debug.log", () => {
  const made = (plan: Partial<LogPlan>) => {
    let printed = ""
    const log = openDebugLog({
      plan: { ...LOG_PLAN, ...plan },
      print: (more) => void (printed += more),
      now: () => TIME.now
    })
    if (typeof log === "string") throw new Error(log)
    return { log, printed: () => printed }
  }

  it("has lines in detail of categories that are on alone", () => {
    const { log, printed } = made({ showsTime: false, levels: new Map([["rpc", "info"]]) })
    for (const category of ["net", "rpc"]) log.write({ level: "debug", category, text: category })
    log.write({ level: "trace", category: "net", text: "too much" })
    log.setCategories(new Set(["rpc"]))
    log.write({ level: "debug", category: "net", text: "off" })
    log.write({ level: "debug", category: "rpc", text: "of a higher level" })
    log.write({ level: "error", category: "net", text: "always" })
    assert.strictEqual(printed(), "\n\n\n\n\n[net] net\n[net:error] always\n")
  })

  it("names what writes each line where that is asked for", () => {
    const { log, printed } = made({ showsTime: false, showsSources: true, showsThreads: true })
    log.write({ level: "info", text: "one" })
    log.write({ level: "debug", category: "net", text: "two", source: "PeerConnected" })
    assert.strictEqual(
      printed().trimStart(),
      "[main] [bitcoind] [AppInitMain] one\n[main] [bitcoind] [PeerConnected] [net] two\n"
    )
  })

  it("is opened anew, and is cut where it is long", () => {
    const directory = mkdtempSync(join(tmpdir(), "lockstep-log-"))
    const file = join(directory, "debug.log")
    try {
      const { log } = made({ file, toConsole: false, showsTime: false })
      renameSync(file, `${file}.1`)
      assert.isUndefined(log.reopen())
      log.write({ level: "info", text: "later" })
      log.close()
      assert.strictEqual(readFileSync(file, "utf8"), "later\n")
      writeFileSync(file, "0123456789")
      shrinkLog(file, 10, 4)
      assert.strictEqual(readFileSync(file, "utf8"), "0123456789")
      shrinkLog(file, 9, 4)
      assert.strictEqual(readFileSync(file, "utf8"), "6789")
      const none = openDebugLog({ plan: { ...LOG_PLAN, file: directory }, print: () => {}, now: () => 0n })
      assert.strictEqual(none, `Could not open debug log file ${directory}`)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
