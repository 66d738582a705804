import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, rmSync, symlinkSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { diskExcess, diskUse, MOST_FILES } from "../../../src/modules/sandbox/disk-watch.ts"
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
