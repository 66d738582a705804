import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type CopiedLauncher, copyLauncher, run } from "./copied-launcher.ts"

interface Builder {
  readonly buildProgram: (root: string, cache: string, now?: number) => Promise<string | undefined>
}

interface Finder {
  readonly freshBuild: (root: string, cache: string, program: string, now?: number) => string | undefined
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url)).replace(/[/\\]$/, "")
const ESBUILD = dirname(createRequire(import.meta.url).resolve("esbuild/package.json"))

/** A time at which nothing has been changed for a while. */
const later = (): number => Date.now() + 60_000

const MAIN = `
import { word } from "./word.ts"
import { value } from "some-package"
declare const lockstepPrograms: string | undefined
const how = typeof lockstepPrograms === "undefined" ? "sources" : "build"
export const run = async (sent?: string) => console.log(how, word, value, ...sent === undefined ? [] : [sent])
`

const QUICK = `
import { place } from "./place.ts"
declare const lockstepPrograms: string | undefined
const how = typeof lockstepPrograms === "undefined" ? "sources" : "build"
export const run = async () => {
  if (process.argv[2] === "rpc") return \`sent by \${how}\`
  console.log("quick", how, place)
  return "done"
}
`

/** A clock that stands still when a program of the project starts: its files have just been written, however busy the machine. */
const CLOCK = "clock.cjs"

/** A small project in the place of the node's, with a package. */
const writeProject = ({ root, write }: CopiedLauncher): void => {
  write("package.json", "{}")
  write("node/package.json", `{ "type": "module" }`)
  write("node/src/main.ts", MAIN)
  write("node/src/word.ts", `export const word: string = "one"`)
  write("node/src/cli/quick/main.ts", QUICK)
  write("node/src/cli/quick/place.ts", `export const place: string = "here"`)
  for (
    const file of [
      "bitcoin-cli/main",
      "bitcoind/main",
      "bitcoind/refused-start",
      "engine-worker/worker",
      "engine/script-pool/script-worker",
      "modules/sandbox/unshare/launcher",
      "storage/key-value/opening/probe-child"
    ]
  ) {
    write(`node/src/${file}.ts`, "export {}")
  }
  for (const version of ["1", "2"]) {
    write(`store/${version}/index.js`, `export const value = ${version}`)
    write(`store/${version}/package.json`, `{ "name": "some-package", "type": "module", "exports": "./index.js" }`)
  }
  mkdirSync(join(root, "node/node_modules"))
  symlinkSync("../../store/1", join(root, "node/node_modules/some-package"))
  symlinkSync(ESBUILD, join(root, "node/node_modules/esbuild"))
  write(CLOCK, `Date.now = () => ${Date.now()}`)
}

let place: CopiedLauncher

beforeEach(() => {
  place = copyLauncher()
  writeProject(place)
})
afterEach(() => place.remove())

const cache = (): string => join(place.root, ".cache/lockstep")
const programs = (): string => join(cache(), "programs", readdirSync(join(cache(), "programs"))[0]!)

/** The builder that belongs to the project, as its launcher loads it. */
const ofProject = () => createRequire(join(place.root, "node/bin/lockstep"))
const build = (now?: number): Promise<string | undefined> =>
  (ofProject()("./build-program.js") as Builder).buildProgram(place.root, cache(), now)
const fresh = (program = "main.cjs"): string | undefined =>
  (ofProject()("./program.js") as Finder).freshBuild(place.root, cache(), program, later())

const start = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await run(
    process.execPath,
    ["--no-warnings", "--require", join(place.root, CLOCK), join(place.bin, "lockstep"), ...args],
    {
      PATH: "/usr/bin:/bin",
      HOME: place.root
    }
  )
  assert.deepStrictEqual([code, stderr], [0, ""])
  return stdout.trim()
}

describe("a build of the node's programs", () => {
  it("is run instead of the sources, and says the same", async () => {
    assert.strictEqual(await start(), "sources one 1")
    const directory = await build(later())
    assert.isDefined(directory)
    assert.strictEqual(fresh(), directory)
    assert.strictEqual(await start(), "build one 1")
  })

  it("is not made of files that may still change, and a start then runs the sources", async () => {
    place.write("node/src/word.ts", `export const word: string = "one"`)
    assert.isUndefined(await build(statSync(join(place.root, "node/src/word.ts")).ctimeMs))
    assert.isUndefined(fresh())
    assert.strictEqual(await start(), "sources one 1")
  })

  it("is not run after a change of a source, also one that leaves size and time of modification", async () => {
    await build(later())
    const file = join(place.root, "node/src/word.ts")
    const { atime, mtime } = statSync(file)
    writeFileSync(file, `export const word: string = "two"`)
    utimesSync(file, atime, mtime)
    assert.isUndefined(fresh())
    assert.strictEqual(await start(), "sources two 1")
    assert.isDefined(await build(later()))
    assert.strictEqual(await start(), "build two 1")
  })

  it("is still run after a source was only touched", async () => {
    const directory = await build(later())
    const at = new Date(Date.now() - 5_000)
    utimesSync(join(place.root, "node/src/word.ts"), at, at)
    assert.strictEqual(fresh(), directory)
    assert.strictEqual(fresh(), directory)
  })

  it("is not run after a source is gone, a package leads elsewhere, or its entry does", async () => {
    await build(later())
    const link = join(place.root, "node/node_modules/some-package")
    rmSync(link)
    symlinkSync("../../store/2", link)
    assert.isUndefined(fresh())
    assert.strictEqual(await start(), "sources one 2")
    assert.isDefined(await build(later()))
    place.write("store/2/other.js", "export const value = 3")
    place.write("store/2/package.json", `{ "name": "some-package", "type": "module", "exports": "./other.js" }`)
    assert.isUndefined(fresh())
    assert.isDefined(await build(later()))
    assert.strictEqual(await start(), "build one 3")
    rmSync(join(place.root, "node/src/word.ts"))
    assert.isUndefined(fresh())
    place.write("node/src/main.ts", "export const run = async () => console.log(\"alone\")")
    assert.isDefined(await build(later()))
    assert.strictEqual(await start(), "alone")
  })

  it("is not run when a file of it is missing or cut, or others may write it", async () => {
    const directory = (await build(later()))!
    chmodSync(directory, 0o777)
    assert.isUndefined(fresh())
    chmodSync(directory, 0o700)
    assert.strictEqual(fresh(), directory)
    writeFileSync(join(directory, "engine.cjs"), "")
    assert.isUndefined(fresh())
    assert.strictEqual(await start(), "sources one 1")
  })

  it("where nothing can be kept, the sources run", async () => {
    place.write(".cache", "a file")
    assert.isUndefined(await build(later()))
    assert.strictEqual(await start(), "sources one 1")
  })

  it("several at once end in the same one", async () => {
    const builder = JSON.stringify(join(place.bin, "build-program.js"))
    const call = `buildProgram(${JSON.stringify(place.root)}, ${JSON.stringify(cache())}, ${later()})`
    const each = () => run(process.execPath, ["-e", `require(${builder}).${call}.then(console.log)`], {})
    const made = (await Promise.all([each(), each(), each()])).map(({ stdout }) => stdout.trim())
    assert.deepStrictEqual([...new Set(made)], [fresh()])
    const manifests = ["bitcoin-cli.cjs.json", "manifest.json", "quick.cjs.json"]
    assert.deepStrictEqual(readdirSync(programs()).sort(), [made[0]!.slice(-16), ...manifests].sort())
    assert.strictEqual(await start(), "build one 1")
  })

  it("some older ones stay for nodes that run, those of a clone that is gone do not", async () => {
    for (let i = 0; i < 6; i++) {
      place.write("node/src/word.ts", `export const word: string = "${i}"`)
      assert.isDefined(await build(later()))
    }
    assert.strictEqual(readdirSync(programs()).filter((name) => !name.endsWith(".json")).length, 4)
    const gone = place.write(".cache/lockstep/programs/gone/manifest.json", `{ "root": "/nowhere/at-all" }`)
    place.write("node/src/word.ts", "export const word: string = \"last\"")
    await build(later())
    assert.notInclude(readdirSync(join(cache(), "programs")), "gone", gone)
  })

  it("is not made of a source that asks for its place and does not get it", async () => {
    place.write("node/src/word.ts", "export const word: string = import.meta.url.slice(0, 4)")
    assert.isUndefined(await build(later()))
    assert.strictEqual(await start(), "sources file 1")
  })

  it("has a program for what is done in a moment, which looks over its own sources alone", async () => {
    assert.strictEqual(await start("version"), "quick sources here")
    const directory = await build(later())
    assert.strictEqual(await start("version"), "quick build here")
    place.write("node/src/word.ts", "export const word: string = \"two\"")
    assert.isUndefined(fresh())
    assert.strictEqual(fresh("quick.cjs"), directory)
    assert.strictEqual(await start("version"), "quick build here")
    place.write("node/src/cli/quick/place.ts", "export const place: string = \"there\"")
    assert.isUndefined(fresh("quick.cjs"))
    assert.strictEqual(await start("version"), "quick sources there")
    assert.isDefined(await build(later()))
    assert.strictEqual(await start("--version"), "quick build there")
  })

  it("goes on in the node's own program with what that one has not finished", async () => {
    assert.strictEqual(await start("rpc"), "sources one 1 sent by sources")
    await build(later())
    assert.strictEqual(await start("rpc"), "build one 1 sent by build")
    place.write("node/src/word.ts", "export const word: string = \"two\"")
    assert.strictEqual(await start("rpc"), "sources two 1 sent by build")
  })

  it("is made of the node itself", async () => {
    const { buildProgram } = createRequire(join(ROOT, "node/bin/lockstep"))("./build-program.js") as Builder
    const directory = await buildProgram(ROOT, cache(), later())
    assert.isDefined(directory)
    assert.deepStrictEqual(readdirSync(directory!).sort(), [
      "bitcoin-cli.cjs",
      "bitcoind.cjs",
      "engine.cjs",
      "main.cjs",
      "module-launcher.cjs",
      "quick.cjs",
      "refused-start.cjs",
      "script-worker.cjs",
      "store-probe.cjs"
    ])
  })
})
