import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync } from "node:child_process"
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  promises,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { diskExcess, diskUse, MOST_FILES, watchDisk } from "../../../src/modules/sandbox/disk-watch.ts"
import type { ResourceLimits } from "../../../src/modules/sandbox/resource-limits.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"

const MEBIBYTE = 1_048_576

describe("what a module has on disk", () => {
  it.effect.skipIf(process.platform !== "linux")(
    "is what its directory holds, not what a link leads to, and files that it removed and holds open",
    () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const [data, outside] = [join(directory, "data"), join(directory, "outside")]
        mkdirSync(join(data, "deep", "deeper"), { recursive: true })
        writeFileSync(outside, Buffer.alloc(4 * MEBIBYTE, 1))
        const used = yield* Effect.promise(() => diskUse(process.pid, data))
        writeFileSync(join(data, "deep", "deeper", "file"), Buffer.alloc(MEBIBYTE, 1))
        symlinkSync(outside, join(data, "link"))
        const more = yield* Effect.promise(() => diskUse(process.pid, data))
        assert.strictEqual(more.files - used.files, 2)
        assert.isAtLeast(more.bytes - used.bytes, MEBIBYTE)
        assert.isBelow(more.bytes - used.bytes, 2 * MEBIBYTE)
        const open = openSync(join(data, "gone"), "w")
        rmSync(join(data, "gone"))
        writeSync(open, Buffer.alloc(2 * MEBIBYTE, 1))
        const held = yield* Effect.promise(() => diskUse(process.pid, data))
        closeSync(open)
        assert.strictEqual(held.files, more.files)
        assert.isAtLeast(held.bytes - more.bytes, 2 * MEBIBYTE)
      })
  )

  it.effect("is too much where a path of directories is too long for the node", () =>
    Effect.gen(function*() {
      const data = yield* temporaryDirectory
      // One step at a time, as a module may go.
      const deepen = `const name = "d".repeat(250)
        for (let i = 0; i < 20; i++) { fs.mkdirSync(name); process.chdir(name) }
        fs.writeFileSync("file", "x")`
      execFileSync(process.execPath, ["-e", deepen], { cwd: data })
      const use = yield* Effect.promise(() => diskUse(process.pid, data))
      // What is too deep for the node is too deep for its own removal.
      execFileSync("rm", ["-rf", join(data, "d".repeat(250))])
      assert.include(diskExcess(use, { diskBytes: 1_000 * MEBIBYTE }), "that the node cannot look into")
      const after = yield* Effect.promise(() => diskUse(process.pid, data))
      assert.isUndefined(diskExcess(after, { diskBytes: 1_000 * MEBIBYTE }))
    }))

  it.effect("is nothing where there is no directory and no process", () =>
    Effect.gen(function*() {
      const directory = join(yield* temporaryDirectory, "none")
      const use = yield* Effect.promise(() => diskUse(2 ** 30, directory))
      assert.deepStrictEqual(use, { bytes: 0, files: 0, hasHidden: false })
    }))

  it.effect("counts what is there and cannot be looked at as a file without bytes", () =>
    Effect.gen(function*() {
      const data = yield* temporaryDirectory
      // The directories can be opened by their path, and the last name makes it too long for the system.
      const deepen = `const deep = "d".repeat(250)
        let length = process.cwd().length
        for (; length < 3841; length += 251) { fs.mkdirSync(deep); process.chdir(deep) }
        for (const name of ["a", "b"]) fs.writeFileSync(name.repeat(255), Buffer.alloc(4096, 1))
        console.log(process.cwd())`
      const deepest = execFileSync(process.execPath, ["-e", deepen], { cwd: data, encoding: "utf8" }).trimEnd()
      const use = yield* Effect.promise(() => diskUse(2 ** 30, data))
      const steps = (deepest.length - data.length) / 251
      let expected = 0
      for (let i = 1; i <= steps; i++) expected += lstatSync(join(data, ...Array(i).fill("d".repeat(250)))).blocks * 512
      execFileSync("rm", ["-rf", join(data, "d".repeat(250))])
      assert.deepStrictEqual(use, { bytes: expected, files: steps + 2, hasHidden: false })
    }))

  it.effect("is no reason to end the module while the disk cannot be read", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const looks: Array<string> = []
      const { opendir } = promises
      // A directory that is opened and then fails, as on a bad disk.
      const failing = (path: string) => ({
        [Symbol.asyncIterator]: () => ({
          next: () => {
            looks.push(path)
            return Promise.reject(Object.assign(new Error("i/o error"), { code: "EIO" }))
          }
        })
      })
      promises.opendir = ((path: string) =>
        path === directory ? Promise.resolve(failing(path)) : opendir(path)) as typeof opendir
      syncBuiltinESMExports()
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          promises.opendir = opendir
          syncBuiltinESMExports()
        })
      )
      const watching = yield* Effect.forkScoped(watchDisk(2 ** 30, directory, { diskBytes: 1 } as ResourceLimits))
      while (looks.length < 3 && watching.pollUnsafe() === undefined) {
        yield* TestClock.adjust(1_000)
        yield* Effect.promise(() => diskUse(2 ** 30, join(directory, "nothing")))
      }
      assert.isUndefined(watching.pollUnsafe())
    })))

  it.effect("is looked at every second, until it is too much", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const limits = { diskBytes: MEBIBYTE } as ResourceLimits
      const watching = yield* Effect.forkScoped(watchDisk(2 ** 30, directory, limits))
      const looked = Effect.promise(async () => {
        for (let i = 0; i < 3; i++) await diskUse(2 ** 30, directory)
      })
      yield* TestClock.adjust(1_000)
      yield* looked
      writeFileSync(join(directory, "file"), Buffer.alloc(2 * MEBIBYTE, 1))
      yield* TestClock.adjust(999)
      yield* looked
      assert.isUndefined(watching.pollUnsafe())
      // It may not have looked to its end before, and then looks later.
      yield* TestClock.adjust(1)
      const reason = yield* Fiber.join(watching)
      assert.match(reason, /^has [23] MiB in its data directory, and 1 MiB are allowed$/)
    })))

  it("is too much by one byte, by one file, or by a directory that is hidden", () => {
    const use = { bytes: MEBIBYTE, files: 100_000, hasHidden: false }
    const limits = { diskBytes: MEBIBYTE }
    assert.isUndefined(diskExcess(use, limits))
    assert.match(diskExcess({ ...use, bytes: MEBIBYTE + 1 }, limits)!, /^has 1 MiB/)
    assert.match(diskExcess({ ...use, bytes: 1.5 * MEBIBYTE }, limits)!, /^has 2 MiB/)
    assert.match(diskExcess({ ...use, files: 100_001 }, limits)!, /^has more than 100000 files/)
    assert.match(diskExcess({ bytes: 0, files: 0, hasHidden: true }, limits)!, /cannot look into$/)
  })

  it("is too much above the bytes that are allowed, or above 100,000 files", () => {
    const limits = { diskBytes: 2 * MEBIBYTE }
    assert.isUndefined(diskExcess({ bytes: 2 * MEBIBYTE, files: MOST_FILES, hasHidden: false }, limits))
    assert.strictEqual(
      diskExcess({ bytes: 3 * MEBIBYTE, files: 1, hasHidden: false }, limits),
      "has 3 MiB in its data directory, and 2 MiB are allowed"
    )
    assert.strictEqual(
      diskExcess({ bytes: 0, files: MOST_FILES + 1, hasHidden: false }, limits),
      "has more than 100000 files in its data directory"
    )
  })
})
