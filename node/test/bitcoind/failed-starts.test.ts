import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Ending } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { runBitcoind } from "./bitcoind-process.ts"

const root = mkdtempSync(join(tmpdir(), "lockstep-failed-starts-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const NO_INDEX = "Error initializing block database.\nPlease restart with -reindex or -reindex-chainstate to recover."

interface Failed extends Ending {
  /** The directory of the chain. */
  readonly directory: string
  /** Lines of the log without their times. */
  readonly log: ReadonlyArray<string>
}

/** Runs the program, which ends before its node has started, in a data directory that `prepare` fills. */
const failed = async (
  name: string,
  prepare: (directory: string) => void,
  words: (directory: string) => ReadonlyArray<string> = () => []
): Promise<Failed> => {
  const base = join(root, name)
  const directory = join(base, "regtest")
  mkdirSync(directory, { recursive: true })
  prepare(directory)
  const common = [`-datadir=${base}`, "-regtest", "-printtoconsole=0", "-listen=0", "-connect=0", "-server=0"]
  const ending = await runBitcoind([...common, ...words(directory)]).ended
  const path = join(directory, "debug.log")
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  return { ...ending, directory, log: text.trim().split("\n").map((line) => line.replace(/^\S+Z /, "")) }
}

/** Makes a chain whose block index was removed. */
const withoutIndex = (directory: string): void => {
  mkdirSync(join(directory, "chainstate"))
  writeFileSync(join(directory, "chainstate", "LOCK"), "")
}

/** Makes the directory of a snapshot that no release knows. */
const withSnapshot = (directory: string): void => {
  mkdirSync(join(directory, "chainstate_snapshot"))
  writeFileSync(join(directory, "chainstate_snapshot", "base_blockhash"), Buffer.alloc(32, 7))
}

const CASES = {
  index: () => failed("index", withoutIndex, () => ["-checkpoints"]),
  background: () => failed("background", withSnapshot, () => ["-daemonwait"]),
  system: () =>
    failed("system", (directory) => {
      writeFileSync(join(directory, "blocks"), "")
      mkdirSync(join(directory, "elsewhere"))
    }, (directory) => [`-blocksdir=${join(directory, "elsewhere")}`])
}

const endings = new Map<keyof typeof CASES, Failed>()
beforeAll(async () => {
  const names = Object.keys(CASES) as Array<keyof typeof CASES>
  await Promise.all(names.map(async (name) => void endings.set(name, await CASES[name]())))
}, patience(120_000))

const of = (name: keyof typeof CASES): Failed => endings.get(name)!

describe("bitcoind whose log is open and that starts no node", () => {
  const WARNING = "Option '-checkpoints' is set but checkpoints were removed. This option has no effect."

  it("says why on standard error, behind its warnings, and ends with exit code 1", () => {
    const { exitCode, stderr, stdout } = of("index")
    assert.deepStrictEqual([exitCode, stdout, stderr], [1, "", `Warning: ${WARNING}\n${NO_INDEX}\n`])
  })

  it("logs its warnings first, then the end of what it began, why, and last that it is done", () => {
    const { log } = of("index")
    assert.deepStrictEqual(log, [
      `[warning] ${WARNING}`,
      "scheduler thread exit",
      `[error] ${NO_INDEX.split("\n")[0]}\\x0a${NO_INDEX.split("\n")[1]}`,
      "Shutdown done"
    ])
  })

  it("leaves no file with the id of its process, and its own files to its user alone", () => {
    const { directory } = of("index")
    assert.isFalse(existsSync(join(directory, "bitcoind.pid")))
    for (const name of ["blocks", "debug.log", join("blocks", ".lock")]) {
      assert.strictEqual(statSync(join(directory, name)).mode & 0o077, 0, name)
    }
  })

  it("has the process that waits for it say why in the background, as of a snapshot that no release knows", () => {
    const { exitCode, log, stderr, stdout } = of("background")
    const text =
      "A fatal internal error occurred, see debug.log for details: Assumeutxo data not found for the given " +
      `blockhash '${"07".repeat(32)}'.`
    assert.deepStrictEqual([exitCode, stdout], [1, "Bitcoin Core starting\n"])
    assert.strictEqual(stderr, `Error: ${text}\nError during initialization - check debug.log for details\n`)
    assert.deepStrictEqual(log.slice(-3), ["scheduler thread exit", `[error] ${text}`, "Shutdown done"])
  })

  it("names what the file system refuses", () => {
    const { directory, exitCode, log, stderr } = of("system")
    const text =
      `filesystem error: cannot create directories: Not a directory [${join(directory, "blocks", "index")}]\n` +
      "A part of the path is a file, not a directory: choose another -datadir."
    assert.deepStrictEqual([exitCode, stderr], [1, `Error: ${text}\n`])
    assert.deepStrictEqual(log.slice(-2), [`[error] ${text.replace("\n", "\\x0a")}`, "Shutdown done"])
  })
})
