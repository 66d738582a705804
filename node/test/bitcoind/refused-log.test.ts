import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { run as runRefused } from "../../src/bitcoind/refused-start.ts"
import { runBitcoind } from "../../src/bitcoind/run/run-bitcoind.ts"

let base = ""
const argv = [...process.argv]
const umask = process.umask()
beforeEach(() => void (base = mkdtempSync(join(tmpdir(), "lockstep-refused-log-"))))
afterEach(() => {
  vi.restoreAllMocks()
  process.argv = [...argv]
  process.umask(umask)
  rmSync(base, { recursive: true, force: true })
})

const path = (): string => join(base, "regtest", "debug.log")

const lines = (): ReadonlyArray<string> => readFileSync(path(), "utf8").trim().split("\n")

const untimed = (): ReadonlyArray<string> => lines().map((line) => line.replace(/^\S+Z /, ""))

/** Whether each line has a time of about now. */
const assertTimes = (): void => {
  for (const line of lines()) {
    const time = Date.parse(/^\S+Z/.exec(line)![0])
    assert.closeTo(time, Date.now(), 600_000, line)
  }
}

const OPEN_FILES = "/proc/self/fd"

const isOpen = (): boolean =>
  existsSync(OPEN_FILES) && readdirSync(OPEN_FILES).some((descriptor) => {
    try {
      return readlinkSync(join(OPEN_FILES, descriptor)) === path()
    } catch {
      return false
    }
  })

/** What a run in this process, which ends before a node would start, says on standard error. */
const said = async (...words: ReadonlyArray<string>): Promise<readonly [exitCode: number, stderr: string]> => {
  let text = ""
  vi.spyOn(process.stdout, "write").mockImplementation(() => true)
  vi.spyOn(process.stderr, "write").mockImplementation((more) => {
    text += Buffer.from(more as Uint8Array).toString()
    return true
  })
  const exitCode = await runBitcoind([`-datadir=${base}`, "-regtest", ...words])
  vi.restoreAllMocks()
  return [exitCode, text]
}

describe("a refusal of bitcoind that its log has", () => {
  it("has times of now, notices as warnings before the errors, and leaves the log closed", async () => {
    const [exitCode, stderr] = await said("-rpcauth=nonsense", "-zmqpubhashtxhwm=1", "-addnode=a:b:c:")
    assert.strictEqual(exitCode, 1)
    assertTimes()
    assert.isFalse(isOpen())
    const text = untimed()
    assert.include(text, "[warning] Invalid -rpcauth argument.")
    assert.include(text, "[warning] -addnode=a:b:c: names no node")
    assert.isAbove(
      text.findIndex((line) => line.startsWith("[error] ")),
      text.findLastIndex((line) => line.startsWith("[warning] "))
    )
    assert.deepStrictEqual(text.slice(-2), ["Shutdown in progress...", "Shutdown done"])
    assert.strictEqual(stderr, "Error: Unable to start HTTP server. See debug log for details.\n")
  })

  it("says of what options forbid the first thing alone, in all lines that Bitcoin Core has for it", async () => {
    const [, stderr] = await said("-rpcallowip=x", "-uacomment=/")
    assert.match(stderr, /^Error: User Agent comment|^Error: Invalid -rpcallowip/)
    assert.isAtLeast(stderr.split("Error: ").length, 2)
  })

  it("is no chain of Bitcoin Core where its directories are empty", async () => {
    mkdirSync(join(base, "regtest", "chainstate"), { recursive: true })
    mkdirSync(join(base, "regtest", "blocks", "index"), { recursive: true })
    writeFileSync(join(base, "regtest", "chainstate", "LOG"), "")
    mkdirSync(join(base, "regtest", "debug.log"))
    const [exitCode, stderr] = await said()
    assert.deepStrictEqual([exitCode, stderr], [1, `Error: Could not open debug log file ${path()}\n`])
  })
})

describe("a start that the launcher of bitcoind refuses", () => {
  const refuse = (...words: ReadonlyArray<string>): void => {
    process.argv = [argv[0]!, argv[1]!, `-datadir=${base}`, "-regtest", ...words]
    runRefused("V8 runs otherwise here")
  }

  it("is in the log with the reason, and nothing on the console", () => {
    const written = vi.spyOn(process.stdout, "write")
    refuse("-printtoconsole")
    assert.deepStrictEqual(written.mock.calls, [])
    vi.restoreAllMocks()
    assert.deepStrictEqual(untimed(), ["[error] V8 runs otherwise here", "Shutdown done"])
    assertTimes()
    assert.isFalse(isOpen())
    assert.strictEqual(process.umask(), 0o077)
  })

  it("is in the log also where options forbid a start", () => {
    refuse("-peertimeout=0")
    assert.deepStrictEqual(untimed(), ["[error] V8 runs otherwise here", "Shutdown done"])
  })

  it("is an error of the launcher where there is no log, or words that it cannot read", () => {
    mkdirSync(join(base, "regtest", "debug.log"), { recursive: true })
    assert.throws(() => refuse(), `Could not open debug log file ${path()}`)
    assert.throws(() => refuse("-nosuch"))
  })
})
