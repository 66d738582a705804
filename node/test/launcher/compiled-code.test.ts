import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { chmodSync, existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { type BuiltProject, builtProject, later } from "./built-project.ts"

let place: BuiltProject
let directory: string

beforeEach(async () => {
  place = builtProject()
  directory = (await place.build(later()))!
})
afterEach(() => place.remove())

const kept = (): ReadonlyArray<string> =>
  globSync("compiled/*/*.code", { cwd: directory }).map((path) => path.split("/").at(-1)!).toSorted()

const file = (use = "main"): string => join(directory, globSync(`compiled/*/${use}.code`, { cwd: directory })[0]!)

/** What is kept is whole: its first four bytes are the checksum of the others. */
const isWhole = (): boolean => {
  const bytes = readFileSync(file())
  return bytes.length > 4 && bytes.readUInt32LE(0) === crc32(bytes.subarray(4))
}

describe("the code that V8 compiled of a built program", () => {
  it("is kept at the end of the first run, and stays as it is in the next", async () => {
    assert.strictEqual(await place.start(), "build one 1")
    assert.deepStrictEqual(kept(), ["main.code"])
    const [state, bytes] = [statSync(file()), readFileSync(file())]
    assert.strictEqual(state.mode & 0o777, 0o600)
    assert.strictEqual(await place.start(), "build one 1")
    assert.strictEqual(statSync(file()).ino, state.ino)
    assert.isTrue(readFileSync(file()).equals(bytes))
  })

  it("has functions that the run has called, which V8 compiles not before", async () => {
    const text = (calls: string): string => `
const far = () => ${JSON.stringify("a long text ".repeat(400))}.length
export const run = async () => console.log(${calls})`
    const sizes: Array<number> = []
    for (const calls of ["far.name", "far()"]) {
      place.write("node/src/main.ts", text(calls))
      directory = (await place.build(later()))!
      await place.start()
      sizes.push(statSync(file()).size)
    }
    assert.isAbove(sizes[1]!, sizes[0]! + 4_000)
  })

  it("is kept for each use by itself, as each runs other functions", async () => {
    await place.start("start")
    await place.start("--network", "regtest", "sync")
    assert.deepStrictEqual(kept(), ["main-sync.code", "main.code"])
  })

  it("is not kept of a run for help or a version, nor of one that fails", async () => {
    for (const word of ["--help", "-h", "-help", "--version=1", "--completions"]) await place.start("start", word)
    assert.deepStrictEqual(kept(), [])
    place.write("node/src/main.ts", "export const run = async () => { process.exitCode = 1 }")
    directory = (await place.build(later()))!
    await place.start().then(() => assert.fail("it ended well"), () => undefined)
    assert.deepStrictEqual(kept(), [])
  })

  it("is made anew where it is cut or has one wrong bit, and the program runs all the same", async () => {
    await place.start()
    const whole = readFileSync(file())
    const spoilt = [whole.length >> 1, 0].map((at) => whole.map((byte, i) => i === at ? byte ^ 1 : byte))
    const cut = [0, 3, whole.length - 1].map((length) => whole.subarray(0, length))
    for (const bytes of [...spoilt, ...cut, new Uint8Array(whole.length)]) {
      writeFileSync(file(), bytes)
      assert.isFalse(isWhole())
      assert.strictEqual(await place.start(), "build one 1")
      assert.isTrue(isWhole())
    }
  })

  it("is not run where others may write it", async () => {
    await place.start()
    const before = statSync(file()).ino
    chmodSync(file(), 0o666)
    assert.strictEqual(await place.start(), "build one 1")
    assert.notStrictEqual(statSync(file()).ino, before)
    assert.strictEqual(statSync(file()).mode & 0o777, 0o600)
  })

  it("is missing where it cannot be kept, and the program runs all the same", async () => {
    writeFileSync(join(directory, "compiled"), "a file")
    assert.strictEqual(await place.start(), "build one 1")
    assert.isFalse(existsSync(join(directory, "compiled", "x")))
  })
})
