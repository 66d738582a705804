import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { chmodSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Builder, type BuiltProject, builtProject, later } from "./built-project.ts"
import { run } from "./copied-launcher.ts"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url)).replace(/[/\\]$/, "")

let place: BuiltProject

beforeEach(() => {
  place = builtProject()
})
afterEach(() => place.remove())

describe("a build of the node's programs", () => {
  it("is run instead of the sources, and says the same", async () => {
    assert.strictEqual(await place.start(), "sources one 1")
    const directory = await place.build(later())
    assert.isDefined(directory)
    assert.strictEqual(place.fresh(), directory)
    assert.strictEqual(await place.start(), "build one 1")
  })

  it("is not made of files that may still change, and a start then runs the sources", async () => {
    place.write("node/src/word.ts", `export const word: string = "one"`)
    assert.isUndefined(await place.build(statSync(join(place.root, "node/src/word.ts")).ctimeMs))
    assert.isUndefined(place.fresh())
    assert.strictEqual(await place.start(), "sources one 1")
  })

  it("is not run after a change of a source, also one that leaves size and time of modification", async () => {
    await place.build(later())
    const file = join(place.root, "node/src/word.ts")
    const { atime, mtime } = statSync(file)
    writeFileSync(file, `export const word: string = "two"`)
    utimesSync(file, atime, mtime)
    assert.isUndefined(place.fresh())
    assert.strictEqual(await place.start(), "sources two 1")
    assert.isDefined(await place.build(later()))
    assert.strictEqual(await place.start(), "build two 1")
  })

  it("is still run after a source was only touched", async () => {
    const directory = await place.build(later())
    const at = new Date(Date.now() - 5_000)
    utimesSync(join(place.root, "node/src/word.ts"), at, at)
    assert.strictEqual(place.fresh(), directory)
    assert.strictEqual(place.fresh(), directory)
  })

  it("is not run after a source is gone, a package leads elsewhere, or its entry does", async () => {
    await place.build(later())
    const link = join(place.root, "node/node_modules/some-package")
    rmSync(link)
    symlinkSync("../../store/2", link)
    assert.isUndefined(place.fresh())
    assert.strictEqual(await place.start(), "sources one 2")
    assert.isDefined(await place.build(later()))
    place.write("store/2/other.js", "export const value = 3")
    place.write("store/2/package.json", `{ "name": "some-package", "type": "module", "exports": "./other.js" }`)
    assert.isUndefined(place.fresh())
    assert.isDefined(await place.build(later()))
    assert.strictEqual(await place.start(), "build one 3")
    rmSync(join(place.root, "node/src/word.ts"))
    assert.isUndefined(place.fresh())
    place.write("node/src/main.ts", "export const run = async () => console.log(\"alone\")")
    assert.isDefined(await place.build(later()))
    assert.strictEqual(await place.start(), "alone")
  })

  it("is not run when a file of it is missing or cut, or others may write it", async () => {
    const directory = (await place.build(later()))!
    chmodSync(directory, 0o777)
    assert.isUndefined(place.fresh())
    chmodSync(directory, 0o700)
    assert.strictEqual(place.fresh(), directory)
    writeFileSync(join(directory, "engine.cjs"), "")
    assert.isUndefined(place.fresh())
    assert.strictEqual(await place.start(), "sources one 1")
  })

  it("where nothing can be kept, the sources run", async () => {
    place.write(".cache", "a file")
    assert.isUndefined(await place.build(later()))
    assert.strictEqual(await place.start(), "sources one 1")
  })

  it("several at once end in the same one", async () => {
    const builder = JSON.stringify(join(place.bin, "build-program.js"))
    const call = `buildProgram(${JSON.stringify(place.root)}, ${JSON.stringify(place.cache)}, ${later()})`
    const each = () => run(process.execPath, ["-e", `require(${builder}).${call}.then(console.log)`], {})
    const made = (await Promise.all([each(), each(), each()])).map(({ stdout }) => stdout.trim())
    assert.deepStrictEqual([...new Set(made)], [place.fresh()])
    const manifests = ["bitcoin-cli.cjs.json", "manifest.json", "quick.cjs.json"]
    assert.deepStrictEqual(readdirSync(place.programs()).sort(), [made[0]!.slice(-16), ...manifests].sort())
    assert.strictEqual(await place.start(), "build one 1")
  })

  it("some older ones stay for nodes that run, those of a clone that is gone do not", async () => {
    for (let i = 0; i < 6; i++) {
      place.write("node/src/word.ts", `export const word: string = "${i}"`)
      assert.isDefined(await place.build(later()))
    }
    assert.strictEqual(readdirSync(place.programs()).filter((name) => !name.endsWith(".json")).length, 4)
    const gone = place.write(".cache/lockstep/programs/gone/manifest.json", `{ "root": "/nowhere/at-all" }`)
    place.write("node/src/word.ts", "export const word: string = \"last\"")
    await place.build(later())
    assert.notInclude(readdirSync(join(place.cache, "programs")), "gone", gone)
  })

  it("is not made of a source that asks for its place and does not get it", async () => {
    place.write("node/src/word.ts", "export const word: string = import.meta.url.slice(0, 4)")
    assert.isUndefined(await place.build(later()))
    assert.strictEqual(await place.start(), "sources file 1")
  })

  it("has a program for what is done in a moment, which looks over its own sources alone", async () => {
    assert.strictEqual(await place.start("version"), "quick sources here")
    const directory = await place.build(later())
    assert.strictEqual(await place.start("version"), "quick build here")
    place.write("node/src/word.ts", "export const word: string = \"two\"")
    assert.isUndefined(place.fresh())
    assert.strictEqual(place.fresh("quick.cjs"), directory)
    assert.strictEqual(await place.start("version"), "quick build here")
    place.write("node/src/cli/quick/place.ts", "export const place: string = \"there\"")
    assert.isUndefined(place.fresh("quick.cjs"))
    assert.strictEqual(await place.start("version"), "quick sources there")
    assert.isDefined(await place.build(later()))
    assert.strictEqual(await place.start("--version"), "quick build there")
  })

  it("goes on in the node's own program with what that one has not finished", async () => {
    assert.strictEqual(await place.start("rpc"), "sources one 1 sent by sources")
    await place.build(later())
    assert.strictEqual(await place.start("rpc"), "build one 1 sent by build")
    place.write("node/src/word.ts", "export const word: string = \"two\"")
    assert.strictEqual(await place.start("rpc"), "sources two 1 sent by build")
  })

  it("is made of the node itself", async () => {
    const { buildProgram } = createRequire(join(ROOT, "node/bin/lockstep"))("./build-program.js") as Builder
    const directory = await buildProgram(ROOT, place.cache, later())
    assert.isDefined(directory)
    assert.deepStrictEqual(readdirSync(directory!).sort(), [
      "bitcoin-cli.cjs",
      "bitcoind.cjs",
      "engine.cjs",
      "engine.code.cjs",
      "main.cjs",
      "module-launcher.cjs",
      "quick.cjs",
      "refused-start.cjs",
      "run-built.cjs",
      "script-worker.cjs",
      "script-worker.code.cjs",
      "store-probe.cjs",
      "store-probe.code.cjs"
    ])
  })
})
