import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { runBitcoind } from "../../src/bitcoind/run/run-bitcoind.ts"

let base = ""
beforeEach(() => void (base = mkdtempSync(join(tmpdir(), "lockstep-refused-starts-"))))
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(base, { recursive: true, force: true })
})

/** Runs the program in this process, which is for what ends before a node would start. */
const run = async (...words: ReadonlyArray<string>) => {
  const said = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const) {
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += Buffer.from(text as Uint8Array).toString()
      return true
    })
  }
  const exitCode = await runBitcoind([`-datadir=${base}`, "-regtest", ...words])
  vi.restoreAllMocks()
  return { exitCode, ...said }
}

const logOf = (): ReadonlyArray<string> =>
  readFileSync(join(base, "regtest", "debug.log"), "utf8").trim().split("\n").map((line) => line.replace(/^\S+Z /, ""))

describe("bitcoind that starts no node", () => {
  it.each([["-help"], ["-h"], ["-?"], ["-help=1"]])("shows its options with %s", async (word) => {
    const { exitCode, stderr, stdout } = await run(word)
    assert.deepStrictEqual([exitCode, stderr], [0, ""])
    assert.match(stdout, /^Bitcoin Core daemon version .*\n/)
    assert.include(stdout, "-datadir=<dir>")
    assert.notInclude(stdout, "-checkblocks=<n>")
  })

  it("shows options for tests as well with -help-debug", async () => {
    const { exitCode, stdout } = await run("-help-debug")
    assert.strictEqual(exitCode, 0)
    assert.include(stdout, "-checkblocks=<n>")
  })

  it("shows its version alone with -version, whatever stands beside it", async () => {
    const { exitCode, stdout } = await run("-version", "-help")
    assert.strictEqual(exitCode, 0)
    assert.match(stdout, /^Bitcoin Core daemon version [^\n]*\n$/)
  })

  it("says on standard error alone what is wrong with its words", async () => {
    const { exitCode, stderr, stdout } = await run("-nosuch")
    assert.deepStrictEqual([exitCode, stdout], [1, ""])
    assert.strictEqual(stderr, "Error: Error parsing command line arguments: Invalid parameter -nosuch\n")
  })

  it("says what is odd about its files before what ends it", async () => {
    writeFileSync(join(base, "bitcoin.conf"), "[moon]\npar=1\n")
    const { exitCode, stderr } = await run("-prune=-1")
    assert.strictEqual(exitCode, 1)
    assert.deepStrictEqual(stderr.trim().split("\n"), [
      `Warning: ${join(base, "bitcoin.conf")}:1 Section [moon] is not recognized.`,
      "",
      "Error: Prune cannot be configured with a negative value."
    ])
  })

  it("logs nothing of what Bitcoin Core refuses before it opens its log", async () => {
    await run("-prune=-1")
    assert.throws(logOf, /ENOENT/)
  })

  it("logs a refusal that comes later, between its first line and a stop", async () => {
    const { exitCode, stderr } = await run("-rpcauth=nonsense", "-txindex")
    assert.strictEqual(exitCode, 1)
    const lines = logOf()
    assert.match(lines[0]!, /^Bitcoin Core version /)
    assert.deepStrictEqual(lines.slice(-2), ["Shutdown in progress...", "Shutdown done"])
    const errors = lines.filter((line) => line.startsWith("[error] ")).map((line) => line.slice("[error] ".length))
    assert.isNotEmpty(errors)
    assert.strictEqual(stderr, errors.map((error) => `Error: ${error}\n`).join(""))
  })

  it("says that the log cannot be opened, where a later refusal would be in it", async () => {
    mkdirSync(join(base, "regtest", "debug.log"), { recursive: true })
    const { exitCode, stderr } = await run("-rpcauth=nonsense")
    const text = `Error: Could not open debug log file ${join(base, "regtest", "debug.log")}\n`
    assert.deepStrictEqual([exitCode, stderr], [1, text])
  })

  it.each([["chainstate"], [join("blocks", "index")]])(
    "leaves the data of Bitcoin Core as they are: %s",
    async (place) => {
      mkdirSync(join(base, "regtest", place), { recursive: true })
      writeFileSync(join(base, "regtest", place, "CURRENT"), "")
      const { exitCode, stderr } = await run()
      const directory = join(base, "regtest")
      assert.deepStrictEqual([exitCode, stderr], [
        1,
        `Error: The data directory ${directory} holds a chain that Bitcoin Core made, which this program leaves as it is. Choose another -datadir.\n`
      ])
      assert.throws(logOf, /ENOENT/)
    }
  )

  it("says before it goes into the background that the log cannot be opened", async () => {
    mkdirSync(join(base, "regtest", "debug.log"), { recursive: true })
    const { exitCode, stderr, stdout } = await run("-daemon")
    const text = `Error: Could not open debug log file ${join(base, "regtest", "debug.log")}\n`
    assert.deepStrictEqual([exitCode, stdout, stderr], [1, "", text])
  })

  it("says and logs that the directory of blocks cannot be kept", async () => {
    writeFileSync(join(base, "file"), "")
    mkdirSync(join(base, "regtest"))
    writeFileSync(join(base, "regtest", "blocks"), "")
    const { exitCode, stderr } = await run()
    const blocks = join(base, "regtest", "blocks")
    const text = `Cannot write to directory '${blocks}'; check permissions.`
    assert.deepStrictEqual([exitCode, stderr], [1, `Error: ${text}\n`])
    assert.strictEqual(logOf().at(-1), `[error] ${text}`)
  })
})
