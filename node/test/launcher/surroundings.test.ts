import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { run } from "./copied-launcher.ts"

const BIN = fileURLToPath(new URL("../../bin", import.meta.url))
const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`

/** As Bitcoin Core's, `bitcoind` makes its data directory before it prints its version. */
const programs = (dataDirectory: string): ReadonlyArray<readonly [program: string, words: ReadonlyArray<string>]> => [
  ["lockstep", ["version"]],
  ["bitcoind", ["-version", `-datadir=${dataDirectory}`]],
  ["bitcoin-cli", ["-version"]]
]

/** What the programs are started with where something that they look for is missing, relative or no directory. */
const SURROUNDINGS: ReadonlyArray<readonly [name: string, env: Readonly<Record<string, string>>]> = [
  ["HOME is empty", { HOME: "" }],
  ["HOME is relative", { HOME: "relative" }],
  ["HOME does not exist", { HOME: "/proc/nonexistent/home" }],
  ["HOME is no directory", { HOME: "/dev/null" }],
  ["XDG_CACHE_HOME is relative", { HOME: "/proc/nonexistent/home", XDG_CACHE_HOME: "relative" }],
  ["XDG_CACHE_HOME is no directory", { HOME: "/proc/nonexistent/home", XDG_CACHE_HOME: "/dev/null" }],
  ["XDG_CONFIG_HOME is relative", { HOME: "/proc/nonexistent/home", XDG_CONFIG_HOME: "relative" }]
]

let root: string
let directory: string
let data: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-surroundings-")))
  directory = join(root, "work")
  data = join(root, "data")
  mkdirSync(directory)
  mkdirSync(data)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe("every program prints its version and leaves nothing in the working directory", () => {
  it.each(SURROUNDINGS)("where %s", async (_, env) => {
    for (const [program, words] of programs(data)) {
      const { code, stderr, stdout } = await run(join(BIN, program), words, { PATH, ...env }, undefined, directory)
      assert.deepStrictEqual([code, stderr], [0, ""], program)
      assert.match(stdout, /Lockstep \d/, program)
      assert.deepStrictEqual(readdirSync(directory), [], program)
    }
  })

  it("where the working directory was removed", async () => {
    for (const [program, words] of programs(data)) {
      const gone = join(directory, "gone")
      mkdirSync(gone)
      const script = "rmdir \"$PWD\" && exec \"$0\" \"$@\""
      const { code, stderr, stdout } = await run(
        "/bin/sh",
        ["-c", script, join(BIN, program), ...words],
        {
          PATH,
          HOME: "/proc/nonexistent/home"
        },
        undefined,
        gone
      )
      assert.strictEqual(code, 0, program)
      // The shell says that there is no such directory, the program has nothing to say.
      assert.notMatch(stderr, /^\s+at /m, program)
      assert.match(stdout, /Lockstep \d/, program)
    }
  })
})
