import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { debugLogFault, openDebugLog } from "../../src/bitcoind/log/debug-log.ts"
import { UPDATE_TIP } from "../../src/bitcoind/log/lines-of-notifications.ts"
import { logRateLimit } from "../../src/bitcoind/log/log-rate-limit.ts"
import type { LogPlan } from "../../src/bitcoind/plan/log-plan.ts"
import { LOG_PLAN } from "./debug-log-plan.ts"

let directory = ""
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "lockstep-log-limits-"))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const MEBIBYTE = 1_048_576

const excessive = (source: string): string =>
  `Excessive logging detected from ${source}: >1048576 bytes logged during the last time window of 3600s. Suppressing logging to disk from this source location until time window resets. Console logging unaffected. Last log entry.`

const ADMITTED = { isSuppressed: false, isAnySuppressed: false, notices: [] }

describe("the limit of what a source writes into the log", () => {
  it("is one mebibyte; the first line beyond it is written with a notice, and none after it", () => {
    const { admit } = logRateLimit()
    assert.deepStrictEqual(admit("a", MEBIBYTE - 1, 10), ADMITTED)
    assert.deepStrictEqual(admit("a", 1, 10), ADMITTED)
    assert.deepStrictEqual(admit("a", 1, 10), { isSuppressed: false, isAnySuppressed: true, notices: [excessive("a")] })
    assert.deepStrictEqual(admit("a", 1, 10), { isSuppressed: true, isAnySuppressed: true, notices: [] })
  })

  it("is each source's own, and others say that one is held back", () => {
    const { admit } = logRateLimit()
    admit("a", MEBIBYTE, 0)
    assert.deepStrictEqual(admit("b", MEBIBYTE, 0), ADMITTED)
    admit("a", 1, 0)
    assert.deepStrictEqual(admit("c", 1, 0), { isSuppressed: false, isAnySuppressed: true, notices: [] })
    assert.deepStrictEqual(admit("b", 1, 0).notices, [excessive("b")])
  })

  it("begins anew an hour after the first line, and names what was dropped and by whom", () => {
    const { admit } = logRateLimit()
    admit("quiet", 5, 100)
    admit("a", MEBIBYTE, 200)
    admit("a", 7, 3_000)
    admit("a", 30, 3_699)
    const verdict = admit("b", 1, 3_700)
    assert.deepStrictEqual(verdict, {
      isSuppressed: false,
      isAnySuppressed: false,
      notices: ["Restarting logging from a: 37 bytes were dropped during the last 3600s."]
    })
    assert.deepStrictEqual(admit("a", MEBIBYTE, 3_700), ADMITTED)
    // The next window counts from there.
    assert.isTrue(admit("a", 1, 7_299).isAnySuppressed)
    assert.deepStrictEqual(admit("quiet", 1, 7_300).notices, [
      "Restarting logging from a: 1 bytes were dropped during the last 3600s."
    ])
    assert.deepStrictEqual(admit("quiet", 1, 10_900), ADMITTED)
  })

  it("has both notices where the first line of a window is too long by itself", () => {
    const { admit } = logRateLimit()
    admit("a", MEBIBYTE + 1, 0)
    assert.deepStrictEqual(admit("a", MEBIBYTE + 2, 3_600).notices, [
      "Restarting logging from a: 1048577 bytes were dropped during the last 3600s.",
      excessive("a")
    ])
  })
})

/** A log whose clock a test sets, in microseconds. */
const opened = (plan: Partial<LogPlan>) => {
  const clock = { now: 1_700_000_000_123_456n }
  let printed = ""
  const log = openDebugLog({
    plan: { ...LOG_PLAN, ...plan },
    print: (text) => void (printed += text),
    now: () => clock.now
  })
  if (typeof log === "string") throw new Error(log)
  return { clock, log, printed: () => printed }
}

describe("debug.log that is open", () => {
  const file = (): string => join(directory, "debug.log")

  it("begins with five line ends behind what was there, for its owner alone", () => {
    opened({ file: file(), toConsole: false }).log.close()
    assert.deepStrictEqual([readFileSync(file(), "utf8"), statSync(file()).mode & 0o777], ["\n\n\n\n\n", 0o600])
    opened({ file: file(), toConsole: false }).log.close()
    assert.strictEqual(readFileSync(file(), "utf8"), "\n".repeat(10))
  })

  it("is cut only where that is wanted", () => {
    for (const shrinks of [false, true]) {
      writeFileSync(file(), Buffer.alloc(11_000_001, "x"))
      opened({ file: file(), toConsole: false, shrinks }).log.close()
      assert.strictEqual(statSync(file()).size, shrinks ? 10_000_005 : 11_000_006)
    }
  })

  it("is on the console as well where that is wanted, and only there without a file", () => {
    const line = { level: "info", text: "one" } as const
    const both = opened({ file: file(), toConsole: true, showsTime: false })
    both.log.write(line)
    both.log.close()
    assert.deepStrictEqual([both.printed(), readFileSync(file(), "utf8")], ["\n\n\n\n\none\n", "\n\n\n\n\none\n"])
    const quiet = opened({ file: file(), toConsole: false, showsTime: false })
    quiet.log.write(line)
    assert.strictEqual(quiet.printed(), "")
    quiet.log.close()
    // What comes behind its end is lost, and no fault.
    quiet.log.write(line)
    quiet.log.close()
    assert.strictEqual(readFileSync(file(), "utf8").split("one").length, 3)
  })

  it("is held back on disk alone, and marks each line while a source is held back", () => {
    const { clock, log, printed } = opened({ file: file(), toConsole: true, showsTime: false })
    const long = "x".repeat(MEBIBYTE - 1)
    const write = (text: string, source: string) => log.write({ level: "info", text, source })
    // With its end the line has one mebibyte.
    write(long, "a")
    write("first", "a")
    write("second", "a")
    write("other", "b")
    log.write({ level: "info", text: "tip", source: UPDATE_TIP })
    clock.now += 3_600_000_000n - 1n
    write("third", "a")
    clock.now += 1n
    write("fourth", "a")
    log.close()
    const shown = (text: string) => text.trimStart().replace(long, "long").split("\n")
    const lines = [
      "long",
      `[*] [warning] ${excessive("a")}`,
      "[*] first",
      "[*] second",
      "[*] other",
      "tip",
      "[*] third",
      "[warning] Restarting logging from a: 19 bytes were dropped during the last 3600s.",
      "fourth",
      ""
    ]
    assert.deepStrictEqual(shown(printed()), lines)
    assert.deepStrictEqual(
      shown(readFileSync(file(), "utf8")),
      lines.filter((line) => !["[*] second", "[*] third"].includes(line))
    )
  })

  it("shows the time that stands in for the clock, and the thread that a line names", () => {
    const { log, printed } = opened({ showsThreads: true })
    log.setMockTime(1_600_000_000)
    log.write({ level: "info", text: "one" }, "net")
    log.setMockTime(0)
    log.write({ level: "info", text: "two" })
    assert.deepStrictEqual(printed().trimStart().split("\n"), [
      "2023-11-14T22:13:20Z (mocktime: 2020-09-13T12:26:40Z) [net] one",
      "2023-11-14T22:13:20Z [main] two",
      ""
    ])
  })

  it("wants lines of categories that are on, from the level of each on", () => {
    const levels = new Map([["rpc", "trace" as const], ["zmq", "info" as const]])
    const { log } = opened({ categories: new Set(["net", "rpc", "zmq"]), level: "debug", levels })
    const wanted = (category: string | undefined, ...all: ReadonlyArray<"trace" | "debug" | "info">) =>
      all.map((level) => log.wants({ category, level }))
    assert.deepStrictEqual(wanted("net", "trace", "debug", "info"), [false, true, true])
    assert.deepStrictEqual(wanted("rpc", "trace", "debug", "info"), [true, true, true])
    assert.deepStrictEqual(wanted("zmq", "trace", "debug", "info"), [false, false, true])
    assert.deepStrictEqual(wanted("tor", "trace", "debug", "info"), [false, false, true])
    assert.deepStrictEqual(wanted(undefined, "trace", "debug"), [true, true])
    assert.deepStrictEqual([...log.categories()], ["net", "rpc", "zmq"])
    log.setCategories(new Set(["tor"]))
    assert.deepStrictEqual([...log.categories()], ["tor"])
    assert.deepStrictEqual(wanted("tor", "debug"), [true])
  })

  it("says why it cannot be opened, or opened anew, and a look beforehand makes it and leaves its content", () => {
    const plan = (path: string | undefined): LogPlan => ({ ...LOG_PLAN, file: path })
    const none = join(directory, "none", "debug.log")
    assert.strictEqual(debugLogFault(plan(none)), `Could not open debug log file ${none}`)
    assert.isUndefined(debugLogFault(plan(undefined)))
    assert.isUndefined(debugLogFault(plan(file())))
    assert.strictEqual(statSync(file()).mode & 0o777, 0o600)
    writeFileSync(file(), "kept")
    assert.isUndefined(debugLogFault(plan(file())))
    assert.strictEqual(readFileSync(file(), "utf8"), "kept")
    const { log } = opened({ file: file(), toConsole: false })
    rmSync(directory, { recursive: true })
    assert.strictEqual(log.reopen(), `Could not open debug log file ${file()}`)
    assert.isUndefined(opened({ file: undefined }).log.reopen())
  })
})
