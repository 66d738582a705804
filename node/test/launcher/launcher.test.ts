import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { commandTree } from "../../src/cli/command-tree.ts"
import { GLOBAL_OPTIONS } from "../../src/cli/global-options.ts"
import { type CopiedLauncher, copyLauncher, type Ran, run, withoutNodejs } from "./copied-launcher.ts"

const NODEJS = dirname(process.execPath)
const SYSTEM = "/usr/bin:/bin"

/** What stands for Node.js where only the launcher's choice matters: says how it was called. */
const ECHO = "#!/bin/sh\nprintf '%s\\n' \"nodejs\" \"$@\" \"typed: $LOCKSTEP_COMMAND\"\n"

let place: CopiedLauncher

beforeEach(() => void (place = copyLauncher()))
afterEach(() => place.remove())

describe("the launcher's directory first on PATH", () => {
  const path = (): string => `${place.bin}:${NODEJS}:${SYSTEM}`
  const shadowed = (args: ReadonlyArray<string>, input?: string): Promise<Ran> =>
    run(join(place.bin, "node"), args, { PATH: path(), HOME: place.root }, input, place.root)

  it("Node.js's own arguments go to the real Node.js", async () => {
    const script = place.write("script.js", "console.log('script', process.argv[2])")
    const version = { code: 0, stdout: `${process.version}\n`, stderr: "" }
    assert.deepStrictEqual(await shadowed(["-e", "console.log(process.version)"]), version)
    assert.deepStrictEqual(await shadowed(["--version"]), version)
    assert.deepStrictEqual(await shadowed(["-v"]), version)
    assert.deepStrictEqual(await shadowed(["--eval=console.log(process.version)"]), version)
    assert.deepStrictEqual(await shadowed([], "console.log(process.version)"), version)
    for (const name of [script, "script.js", "./script.js"]) {
      assert.deepStrictEqual(await shadowed([name, "start"]), { code: 0, stdout: "script start\n", stderr: "" })
    }
    assert.strictEqual((await shadowed(["-c", "script.js"])).code, 0)
    assert.deepStrictEqual(await shadowed(["-r", "./script.js", "-e", "0"]), {
      code: 0,
      stdout: "script undefined\n",
      stderr: ""
    })
    assert.include((await shadowed(["missing.js"])).stderr, "Cannot find module")
  })

  it("a program that begins with `env node` runs", async () => {
    const program = place.write("program", "#!/usr/bin/env node\nconsole.log('program', process.argv[2])", true)
    assert.deepStrictEqual(await run(program, ["version"], { PATH: path() }), {
      code: 0,
      stdout: "program version\n",
      stderr: ""
    })
  })

  it.runIf(spawnSync("npm", ["--version"]).status === 0)("npm runs", async () => {
    const { code, stdout } = await run("npm", ["--version"], {
      PATH: `${place.bin}:${process.env["PATH"]}`,
      HOME: place.root
    })
    assert.strictEqual(code, 0)
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  })

  it("commands and options of Lockstep stay its own", async () => {
    place.write("node_modules/node/bin/node", ECHO, true)
    const ours = commandTree.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))
    assert.include(ours, "start")
    const options = [
      ...GLOBAL_OPTIONS.flatMap((
        { alias, name }
      ) => [`--${name}`, `--${name}=x`, ...(alias === undefined || alias === "v" ? [] : [`-${alias}`])]),
      "--help",
      "-h",
      "--config",
      "-c",
      "--set",
      "--completions",
      "--set=network=signet"
    ]
    for (const first of [...ours, ...options]) {
      const value = first === "-r" || first === "--rpc-addr" ? "127.0.0.1:1" : "value"
      const { stdout } = await shadowed([first, value])
      assert.include(stdout, `\n${join(place.bin, "lockstep")}\n${first}\n${value}\n`, first)
    }
    assert.include((await shadowed([])).stdout, `\n${join(place.bin, "lockstep")}\ntyped: `)
    assert.include((await shadowed(["-v", "start"])).stdout, `\n${join(place.bin, "lockstep")}\n-v\n`)
    assert.include((await shadowed(["strat"])).stdout, `\n${join(place.bin, "lockstep")}\nstrat\n`)
  })

  it("without any Node.js: says what to type, and does not find itself, nor the launcher of another clone", async () => {
    const other = copyLauncher()
    try {
      const env = { PATH: `${place.bin}:${other.bin}:${withoutNodejs(place)}` }
      for (const args of [["start"], ["-e", "0"]]) {
        const { code, stderr, stdout } = await run(join(place.bin, "node"), args, env)
        assert.deepStrictEqual([code, stdout], [127, ""])
        assert.deepStrictEqual(stderr.split("\n"), [
          "node: Lockstep needs Node.js, and there is none on PATH.",
          `node: install Node.js 20 or newer with npm, and type \`npx --yes pnpm@12.21.0 lockstep\` in ${place.root}`,
          ""
        ])
      }
    } finally {
      other.remove()
    }
  })
})

describe("the real Node.js", () => {
  it("is the project's own, before any on PATH", async () => {
    for (const home of ["runtime/node_modules/node/bin/node", "node_modules/node/bin/node"]) {
      place.write(home, ECHO.replace("nodejs", home), true)
      const { stdout } = await run(join(place.bin, "lockstep"), ["version"], { PATH: `${NODEJS}:${SYSTEM}` })
      assert.strictEqual(stdout.split("\n")[0], home)
    }
  })

  it("is found through links to the launcher, relative or not, in a directory with a space", async () => {
    const spaced = join(place.root, "a b")
    cpSync(place.bin, join(spaced, "node/bin"), { recursive: true, verbatimSymlinks: true })
    place.write("a b/node_modules/node/bin/node", ECHO, true)
    symlinkSync(join(spaced, "node/bin/lockstep"), join(place.root, "absolute"))
    symlinkSync("a b/node/bin/node", join(place.root, "relative"))
    for (const link of ["absolute", "relative"]) {
      const { stdout } = await run(join(place.root, link), ["a b", "*"], { PATH: SYSTEM })
      assert.include(stdout, `\n${join(spaced, "node/bin/lockstep")}\na b\n*\n`)
    }
  })
})

describe("a message names the command as it can be typed", () => {
  const typed = async (program: string, env: Readonly<Record<string, string>>): Promise<string | undefined> => {
    place.write("node_modules/node/bin/node", ECHO, true)
    const { stdout } = await run(program, ["version"], { PATH: SYSTEM, ...env }, undefined, place.root)
    return /^typed: (.*)$/m.exec(stdout)?.[1]
  }

  it("by its path, by its name where that is on PATH, and through pnpm", async () => {
    assert.strictEqual(await typed("node/bin/node", {}), "node/bin/node")
    assert.strictEqual(await typed("node/bin/lockstep", { PATH: `${place.bin}:${SYSTEM}` }), "lockstep")
    const pnpm = { npm_lifecycle_event: "start", npm_execpath: "/opt/pnpm/bin/pnpm" }
    assert.strictEqual(await typed("node/bin/lockstep", pnpm), "pnpm lockstep")
    const npx = { npm_lifecycle_event: "lockstep", npm_execpath: "/home/me/.npm/_npx/0390bb/node_modules/pnpm/pnpm" }
    assert.strictEqual(await typed("node/bin/lockstep", npx), "npx --yes pnpm@12.21.0 lockstep")
    assert.strictEqual(
      await typed("node/bin/lockstep", { npm_lifecycle_event: "test", npm_execpath: "/opt/pnpm/bin/pnpm" }),
      "node/bin/lockstep"
    )
  })
})

describe("what to type, instead of a stack trace", () => {
  it("under an old Node.js", async () => {
    const old = place.write(
      "old.cjs",
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })"
    )
    const { code, stderr, stdout } = await run(process.execPath, ["-r", old, join(place.bin, "lockstep"), "start"], {
      PATH: SYSTEM
    })
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.deepStrictEqual(stderr.split("\n"), [
      `node: Lockstep needs Node.js 22.19 or newer, and ${process.execPath} is 20.20.2.`,
      `node: type \`npx --yes pnpm@12.21.0 lockstep\` in ${place.root}: it brings its own`,
      ""
    ])
  })

  it("without an install", async () => {
    const sources = fileURLToPath(new URL("../../src", import.meta.url))
    cpSync(sources, join(place.root, "node/src"), { recursive: true })
    cpSync(join(sources, "../package.json"), join(place.root, "node/package.json"))
    assert.isFalse(existsSync(join(place.root, "node/node_modules")))
    const { code, stderr, stdout } = await run(join(place.bin, "lockstep"), ["start"], {
      PATH: `${NODEJS}:${SYSTEM}`,
      HOME: place.root
    })
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.match(
      stderr,
      /^node: Cannot find package '[^']+': Lockstep's packages are not installed\.\nnode: type `npx --yes pnpm@12\.21\.0 lockstep` in /
    )
    assert.strictEqual(stderr.trimEnd().split("\n").length, 2)
  })
})
