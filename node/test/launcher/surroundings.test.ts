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

/** Stands for a home below the directory of the test, which a program that runs as root may make. */
const NOWHERE = "NOWHERE"

/** What the programs are started with where something that they look for is missing, relative or no directory. */
const SURROUNDINGS: ReadonlyArray<readonly [name: string, env: Readonly<Record<string, string>>]> = [
  ["HOME is empty", { HOME: "" }],
  ["HOME is relative", { HOME: "relative" }],
  ["HOME does not exist", { HOME: NOWHERE }],
  ["HOME is no directory", { HOME: "/dev/null" }],
  // Each new name there is ENOENT, although what is above it exists.
  ["HOME is below /proc", { HOME: "/proc/nonexistent/home" }],
  ["XDG_CACHE_HOME is relative", { HOME: NOWHERE, XDG_CACHE_HOME: "relative" }],
  ["XDG_CACHE_HOME is no directory", { HOME: NOWHERE, XDG_CACHE_HOME: "/dev/null" }],
  ["XDG_CONFIG_HOME is relative", { HOME: NOWHERE, XDG_CONFIG_HOME: "relative" }]
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
  const inRoot = (env: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value === NOWHERE ? join(root, "nowhere/home") : value])
    )

  it.each(SURROUNDINGS)("where %s", async (_, env) => {
    for (const [program, words] of programs(data)) {
      const { code, stderr, stdout } = await run(
        join(BIN, program),
        words,
        { PATH, ...inRoot(env) },
        undefined,
        directory
      )
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
          HOME: join(root, "nowhere/home")
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
