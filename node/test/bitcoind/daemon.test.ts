import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { beginDaemon, isDaemon, notifyFailed, startDaemon } from "../../src/bitcoind/process/daemon.ts"
import { isTakenOver, readConfiguration } from "../../src/bitcoind/process/handed-over.ts"
import { patience } from "../process/patience.ts"

const DAEMON = new URL("../../src/bitcoind/process/daemon.ts", import.meta.url).href
const HANDED_OVER = new URL("../../src/bitcoind/process/handed-over.ts", import.meta.url).href

let directory = ""
const argv = [...process.argv]
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "lockstep-daemon-"))))
afterEach(() => {
  vi.restoreAllMocks()
  process.argv = [...argv]
  rmSync(directory, { recursive: true, force: true })
})

/** What the program in the background has noted. */
interface Noted {
  readonly words: ReadonlyArray<string>
  readonly hasChannel: boolean
  readonly session: number
  readonly pid: number
  readonly program: string
  readonly bytes?: string
  readonly isDaemon: boolean
  readonly taken: string
}

/** Starts a program as bitcoind starts itself in the background; `body` is what it does then. */
const start = async (
  body: string,
  { given = ["-a"], waits = true }: { readonly given?: ReadonlyArray<string>; readonly waits?: boolean } = {}
) => {
  const [program, configuration, note] = ["program.mjs", "read.conf", "note"].map((name) => join(directory, name)) as [
    string,
    string,
    string
  ]
  writeFileSync(configuration, "par=1\n")
  readConfiguration(configuration)
  writeFileSync(
    program,
    `import { readFileSync, renameSync, writeFileSync } from "node:fs"
    import { beginDaemon, isDaemon, notifyFailed, notifyStarted } from ${JSON.stringify(DAEMON)}
    import { isTakenOver, readConfiguration } from ${JSON.stringify(HANDED_OVER)}
    const note = () => {
      const path = ${JSON.stringify(configuration)}
      const of = {
        words: process.argv.slice(2),
        hasChannel: process.connected === true,
        session: Number(readFileSync("/proc/self/stat", "latin1").split(" ")[5]),
        pid: process.pid,
        program: process.env.LOCKSTEP_PROGRAM,
        bytes: process.env.LOCKSTEP_WORDS,
        isDaemon: isDaemon(),
        taken: isTakenOver(path) ? readConfiguration(path).toString() : "nothing"
      }
      writeFileSync(${JSON.stringify(note)} + ".tmp", JSON.stringify(of))
      renameSync(${JSON.stringify(note)} + ".tmp", ${JSON.stringify(note)})
    }
    ${body}`
  )
  process.argv = [process.execPath, program, "-a", "b c"]
  const said = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const) {
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += Buffer.from(text as Uint8Array).toString()
      return true
    })
  }
  const exitCode = await startDaemon(given, waits)
  const noted = (): Promise<Noted> =>
    vi.waitFor(() => JSON.parse(readFileSync(note, "utf8")) as Noted, { timeout: patience(30_000), interval: 10 })
  return { exitCode, noted, said }
}

const STARTING = "Bitcoin Core starting\n"
const FAILED = "Error during initialization - check debug.log for details\n"

describe.runIf(process.platform === "linux")("bitcoind that goes into the background", () => {
  it("ends with 0 once the start is over; the process goes on in its own session with words and configuration", async () => {
    const { exitCode, noted, said } = await start(`
      beginDaemon()
      process.once("disconnect", note)
      notifyStarted()`)
    assert.deepStrictEqual([exitCode, said], [0, { stdout: STARTING, stderr: "" }])
    const { pid, ...of } = await noted()
    assert.deepStrictEqual(of, {
      words: ["-a", "b c"],
      hasChannel: false,
      session: pid,
      program: "bitcoind",
      isDaemon: true,
      taken: "par=1\n"
    })
    // Its end, however soon, is no failed start.
    await vi.waitFor(() => assert.isFalse(existsSync(`/proc/${pid}`)), { timeout: patience(30_000), interval: 10 })
    assert.strictEqual(said.stderr, "")
  })

  it("ends with 1 and says why where the start fails", async () => {
    const { exitCode, said } = await start(`
      beginDaemon()
      await notifyFailed(["Error: first\\n", "Error: second\\n"])`)
    assert.deepStrictEqual([exitCode, said.stderr], [1, `Error: first\nError: second\n${FAILED}`])
  })

  it("ends with 1 where the process ends without a word, whatever its exit code, and has read nothing", async () => {
    const { exitCode, said } = await start("process.exit(0)")
    assert.deepStrictEqual([exitCode, said.stderr], [1, FAILED])
  })

  it("ends with 0 at once where nothing waits for the start, and hands on words that are not UTF-8", async () => {
    const word = `-a=${String.fromCharCode(0xdcff)}`
    const options = { given: [word], waits: false }
    const { exitCode, noted, said } = await start("beginDaemon()\nnotifyStarted()\nnote()", options)
    assert.deepStrictEqual([exitCode, said], [0, { stdout: STARTING, stderr: "" }])
    const { bytes, ...of } = await noted()
    assert.deepInclude(of, { hasChannel: false, taken: "par=1\n" })
    assert.strictEqual(bytes, JSON.stringify([word]))
  })
})

describe("a process that is not in the background", () => {
  it("takes over no configuration, and has no process to which it says something", async () => {
    const path = join(directory, "other.conf")
    beginDaemon()
    assert.deepStrictEqual([isDaemon(), isTakenOver(path)], [false, false])
    await notifyFailed(["Error: a\n"])
  })
})
