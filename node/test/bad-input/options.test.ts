import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { GLOBAL_OPTIONS } from "../../src/cli/global-options.ts"
import { runCli } from "../../src/cli/run-cli.ts"

/** What is no value of any option, unless a path is asked for. */
const WRONG = ["", "%%%", "-1", "1e999", "\u0000", "x".repeat(5_000), "null", "[]"]

/** A path may be called anything. */
const TAKES_ANY_TEXT = new Set(["data-dir", "migrate-destination"])

let directory = ""
const before = process.cwd()
let complaint = ""

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lockstep-options-"))
  process.chdir(directory)
  complaint = ""
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    complaint += String(text)
    return true
  })
  vi.spyOn(process.stdout, "write").mockImplementation(() => true)
  for (const name of Object.keys(process.env)) {
    if (/^(?:NODE_|RPC_AUTH|RUST_LOG)/.test(name)) vi.stubEnv(name, undefined)
  }
  vi.stubEnv("HOME", directory)
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  process.chdir(before)
  rmSync(directory, { recursive: true })
})

const attempt = async (...args: ReadonlyArray<string>): Promise<{ readonly code: number; readonly said: string }> => {
  complaint = ""
  const code = await runCli(["config", "explain", ...args])
  return { code, said: complaint }
}

const isRefused = async (name: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const { code, said } = await attempt(...args)
  assert.strictEqual(code, 2, `${args.join(" ").slice(0, 80)}: ${said}`)
  assert.isTrue(said.startsWith(`node: --${name}: `), said.slice(0, 300))
  assert.isTrue(said.trimEnd().split("\n").every((line) => line.startsWith("node: ")), said.slice(0, 300))
  assert.isBelow(said.length, 1_000)
}

describe("every option, wrongly used", () => {
  it("that takes a value: without one, and with what is none", async () => {
    const options = GLOBAL_OPTIONS.filter(({ means }) => means === undefined)
    assert.isAbove(options.length, 8)
    for (const { alias, name } of options) {
      await isRefused(name, `--${name}`)
      if (alias !== undefined) await isRefused(name, `-${alias}`)
      for (const value of TAKES_ANY_TEXT.has(name) ? [""] : WRONG) await isRefused(name, `--${name}=${value}`)
    }
  })

  it("that takes none: with one", async () => {
    const options = GLOBAL_OPTIONS.filter(({ means }) => means !== undefined)
    assert.isAbove(options.length, 10)
    for (const { name } of options) {
      for (const value of ["maybe", "2", "%%%"]) await isRefused(name, `--${name}=${value}`)
    }
  })

  it("--set: without a value, without a key, with keys there are not", async () => {
    for (const value of WRONG) await isRefused("set", `--set=${value}`)
    for (
      const value of [
        "=",
        "=1",
        ".=1",
        "storage=1",
        "storage.=1",
        "__proto__=1",
        "constructor=1",
        "storage.__proto__.x=1",
        "a.b.c.d.e=1"
      ]
    ) {
      await isRefused("set", `--set=${value}`)
    }
  })

  it("--config: files there are not", async () => {
    for (const path of ["none.toml", "a/b/c.toml", ".", "/dev/null/x", "\u0000.toml", "x".repeat(5_000)]) {
      const { code, said } = await attempt("--config", path)
      assert.strictEqual(code, 2, said)
      assert.match(said, /^node: [^\n]+: (?:no such file|is a directory|cannot be read|the name is too long)[^\n]*\n$/)
    }
  })

  it("options there are not", async () => {
    for (const option of ["--", "---", "--=", "--no-such", "-Z", "--network-", "--NETWORK=regtest", "—network"]) {
      const { code, said } = await attempt(option)
      if (option === "--") continue
      assert.strictEqual(code, 2, `${option}: ${said}`)
      assert.match(said, /^node: /)
      assert.notMatch(said, /\n\s+at /)
    }
  })
})
