import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { join } from "node:path"
import { type DebugLog, debugLogFault, openDebugLog } from "../../src/bitcoind/log/debug-log.ts"
import { shrinkLog } from "../../src/bitcoind/log/shrink.ts"
import { takeOver } from "../../src/bitcoind/process/handed-over.ts"
import { holdDirectory, lockFault } from "../../src/bitcoind/process/probe-lock.ts"
import { lockFile } from "../../src/storage/data-directory/file-lock.ts"
import { LOG_PLAN } from "./debug-log-plan.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const OPEN_FILES = "/proc/self/fd"

const linkOf = (descriptor: string): string => {
  try {
    return fs.readlinkSync(join(OPEN_FILES, descriptor))
  } catch {
    // The one by which the directory was read.
    return ""
  }
}

/** How often this process has `path` open. */
const opened = (path: string): number =>
  fs.readdirSync(OPEN_FILES).filter((descriptor) => linkOf(descriptor) === path).length

const logAt = (file: string): DebugLog => {
  const log = openDebugLog({
    plan: { ...LOG_PLAN, file, toConsole: false, showsTime: false },
    print: () => {},
    now: () => 0n
  })
  if (typeof log === "string") throw new Error(log)
  return log
}

const taken = (directory: string): string =>
  `Cannot obtain a lock on directory ${directory}. Bitcoin Core is probably already running.`

const notWritable = (directory: string): string => `Cannot write to directory '${directory}'; check permissions.`

describe.runIf(fs.existsSync(OPEN_FILES))("files that bitcoind opens for a moment", () => {
  it("a lock that is probed is released again, and its file closed, whether free or taken", () => {
    const lock = join(home.base, ".lock")
    for (let i = 0; i < 2; i++) assert.isUndefined(lockFault(home.base))
    assert.strictEqual(opened(lock), 0)
    const other = fs.openSync(lock, "r+")
    assert.strictEqual(lockFile(other), "held")
    assert.strictEqual(lockFault(home.base), taken(home.base))
    assert.strictEqual(opened(lock), 1)
    fs.closeSync(other)
    assert.isUndefined(lockFault(home.base))
  })

  it("a directory that is held keeps one lock, which a second holder does not get and leaves no file open for", () => {
    const directory = join(home.base, "new", "blocks")
    const lock = join(directory, ".lock")
    assert.isUndefined(holdDirectory(directory))
    assert.strictEqual(opened(lock), 1)
    assert.strictEqual(fs.statSync(lock).mode & 0o777, 0o600)
    for (let i = 0; i < 2; i++) assert.strictEqual(holdDirectory(directory), taken(directory))
    assert.strictEqual(lockFault(directory), taken(directory))
    assert.strictEqual(opened(lock), 1)
  })

  it("a directory in which no lock can be made is named, whether it is looked at or held", () => {
    home.write("file", "")
    const missing = join(home.base, "missing")
    assert.strictEqual(lockFault(missing), notWritable(missing))
    assert.isFalse(fs.existsSync(missing))
    const below = join(home.base, "file", "blocks")
    assert.strictEqual(holdDirectory(below), notWritable(below))
    fs.mkdirSync(join(missing, ".lock"), { recursive: true })
    assert.strictEqual(holdDirectory(missing), notWritable(missing))
  })

  it("a log that is cut or left as it is, missing or no file is closed after the look", () => {
    const path = join(home.base, "debug.log")
    home.write("debug.log", "0123456789")
    for (const long of [10, 9]) shrinkLog(path, long, 4)
    assert.strictEqual(fs.readFileSync(path, "utf8"), "6789")
    assert.strictEqual(opened(path), 0)
    shrinkLog(join(home.base, "missing.log"), 1, 1)
    assert.isFalse(fs.existsSync(join(home.base, "missing.log")))
    shrinkLog(home.base, 1, 1)
    assert.strictEqual(opened(home.base), 0)
  })

  it("a log is cut at 11,000,000 bytes, of which the last 10,000,000 stay", () => {
    const path = join(home.base, "debug.log")
    home.write("debug.log", "")
    for (const [before, after] of [[11_000_000, 11_000_000], [11_000_001, 10_000_000]] as const) {
      fs.truncateSync(path, before)
      shrinkLog(path)
      assert.strictEqual(fs.statSync(path).size, after)
    }
  })

  it("a log that is only to be opened later is looked at without leaving it open", () => {
    const file = join(home.base, "debug.log")
    assert.isUndefined(debugLogFault({ ...LOG_PLAN, file }))
    assert.strictEqual(opened(file), 0)
    assert.isUndefined(debugLogFault(LOG_PLAN))
    assert.strictEqual(debugLogFault({ ...LOG_PLAN, file: home.base }), `Could not open debug log file ${home.base}`)
  })

  it("a log is open once, also after it was opened anew, and never after its end, when nothing is written any more", () => {
    const file = join(home.base, "debug.log")
    const log = logAt(file)
    assert.strictEqual(opened(file), 1)
    for (let i = 0; i < 3; i++) assert.isUndefined(log.reopen())
    assert.strictEqual(opened(file), 1)
    log.close()
    log.close()
    assert.strictEqual(opened(file), 0)
    const before = fs.readFileSync(file, "utf8")
    log.write({ level: "info", text: "too late" })
    assert.strictEqual(fs.readFileSync(file, "utf8"), before)
  })

  it("a log that cannot be opened anew says so, and one that cannot be written to ends nothing", () => {
    const file = join(home.base, "debug.log")
    const log = logAt(file)
    fs.rmSync(file)
    fs.mkdirSync(file)
    assert.strictEqual(log.reopen(), `Could not open debug log file ${file}`)
    log.write({ level: "info", text: "nowhere" })
    // Every write to it fails as on a full disk.
    const full = logAt("/dev/full")
    full.write({ level: "info", text: "lost" })
    full.close()
  })

  it("what the process before this one has read is taken from a file that is closed then, whatever it holds", () => {
    const path = join(home.base, "handed-over")
    home.write("handed-over", "no JSON")
    assert.throws(() => takeOver(fs.openSync(path, "r")))
    home.write("handed-over", "{}")
    takeOver(fs.openSync(path, "r"))
    assert.strictEqual(opened(path), 0)
  })
})
