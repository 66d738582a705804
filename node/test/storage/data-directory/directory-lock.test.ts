import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { lockDataDirectory } from "../../../src/storage/data-directory/directory-lock.ts"
import { lockFile } from "../../../src/storage/data-directory/file-lock.ts"
import { layoutOf } from "../../../src/storage/data-directory/layout.ts"
import { openDataDirectory } from "../../../src/storage/data-directory/open-data-directory.ts"
import { identityOf, identityText, isRunning } from "../../../src/storage/data-directory/process-identity.ts"
import { beginLmdbFile } from "../../../src/storage/key-value/begin-lmdb-file.ts"
import { beginStore } from "../../../src/storage/key-value/begin-store.ts"
import { growthFault } from "../../../src/storage/key-value/growth-fault.ts"
import { inspectLmdb } from "../../../src/storage/key-value/opening/lmdb-pages.ts"
import { syncDirectory } from "../../../src/storage/disk/sync-directory.ts"
import { replacedUntilEnd } from "../disk/disk-calls.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

const OPEN_FILES = "/proc/self/fd"
const openFiles = (): number => fs.readdirSync(OPEN_FILES).length

describe("the places in a data directory", () => {
  it("have names of this node, or Bitcoin Core's with the rest beside the store", () => {
    assert.deepStrictEqual(layoutOf("/d"), {
      directory: "/d",
      lock: "/d/lock",
      schema: "/d/schema.json",
      blocks: "/d/blocks",
      debugLog: "/d/debug.log"
    })
    assert.deepStrictEqual(layoutOf("/d", { blocksDirectory: "/b", storeDirectory: "/s" }), {
      directory: "/d",
      lock: "/d/.lock",
      schema: "/s/schema.json",
      blocks: "/b",
      debugLog: "/d/debug.log"
    })
  })

  it.effect("name what is in the way where a directory is to be made", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const link = join(directory, "link")
      fs.symlinkSync(join(directory, "nowhere"), link)
      const error = yield* Effect.flip(
        Effect.scoped(openDataDirectory({ directory: join(link, "a"), network: "regtest" }))
      )
      assert.deepInclude(error, { part: "data-directory", operation: "create", path: link })
    }))
})

describe("the lock of a data directory", () => {
  it.effect("is the kernel's, for one open file", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "lock")
      const [first, second] = [fs.openSync(path, "w"), fs.openSync(path, "w")]
      assert.strictEqual(lockFile(first), "held")
      assert.strictEqual(lockFile(first), "held")
      assert.strictEqual(lockFile(second), "taken")
      fs.closeSync(first)
      assert.strictEqual(lockFile(second), "held")
      fs.closeSync(second)
      assert.strictEqual(lockFile(second), "unsupported")
    }))

  it.effect("says who holds it, as far as that is known, and what to do", () =>
    Effect.gen(function*() {
      const layout = layoutOf(yield* temporaryDirectory)
      const refused = Effect.flip(Effect.scoped(lockDataDirectory(layout, () => "taken")))
      for (
        const [text, holder] of [["", "another node"], [`${"7".repeat(80)}\n`, "another node"], [
          "77 5\n",
          "another node, process 77,"
        ]]
      ) {
        fs.writeFileSync(layout.lock, text!)
        const error = yield* refused
        assert.deepInclude(error, { part: "data-directory", operation: "lock", reason: "locked", path: layout.lock })
        assert.strictEqual(
          error.message,
          `The data directory ${layout.directory} is used by ${holder} that is running. ` +
            "Stop it first, or start this one with another data directory (--data-dir)."
        )
        assert.strictEqual(fs.readFileSync(layout.lock, "utf8"), text)
      }
      fs.rmSync(layout.lock)
      fs.mkdirSync(layout.lock)
      const io = yield* Effect.flip(Effect.scoped(lockDataDirectory(layout)))
      assert.deepInclude(io, { part: "data-directory", operation: "lock", reason: "io", path: layout.lock })
    }))

  it.effect("holds the name of this process alone, readable for its owner, and nothing when it ends", () =>
    Effect.gen(function*() {
      const layout = layoutOf(yield* temporaryDirectory)
      yield* Effect.scoped(lockDataDirectory(layout))
      assert.strictEqual(fs.statSync(layout.lock).mode & 0o777, 0o600)
      fs.writeFileSync(layout.lock, "x".repeat(500))
      // A kernel that holds the lock decides, whatever name the file holds.
      for (const answer of ["held", "unsupported"] as const) {
        yield* Effect.scoped(Effect.gen(function*() {
          yield* lockDataDirectory(layout, () => answer)
          const text = fs.readFileSync(layout.lock, "utf8")
          assert.match(text, new RegExp(`^${process.pid}( \\d+)?\\n$`))
          if (answer === "held") yield* Effect.scoped(lockDataDirectory(layout, () => "held"))
        }))
        assert.strictEqual(fs.readFileSync(layout.lock, "utf8"), "")
      }
    }))

  it.effect("is held on a full disk where the kernel holds it, and nowhere else", () =>
    Effect.gen(function*() {
      const layout = layoutOf(yield* temporaryDirectory)
      const lockOn = (code: string, answer: "held" | "unsupported") =>
        Effect.result(Effect.scoped(Effect.gen(function*() {
          yield* replacedUntilEnd({
            writeSync: () => {
              throw Object.assign(new Error(code), { code })
            }
          })
          yield* lockDataDirectory(layout, () => answer)
        })))
      assert.strictEqual((yield* lockOn("ENOSPC", "held"))._tag, "Success")
      assert.deepInclude(yield* Effect.flip(Effect.fromResult(yield* lockOn("ENOSPC", "unsupported"))), {
        part: "data-directory",
        operation: "lock",
        reason: "full"
      })
      assert.strictEqual((yield* Effect.flip(Effect.fromResult(yield* lockOn("EIO", "held")))).reason, "io")
    }))

  it("takes a process of another user for one that runs, and one that is not there for none", () => {
    const { kill } = process
    const answering = (code: string | undefined): boolean => {
      process.kill = (() => {
        if (code !== undefined) throw Object.assign(new Error(code), { code })
        return true
      }) as typeof process.kill
      try {
        return isRunning({ pid: 2 ** 30, began: undefined })
      } finally {
        process.kill = kill
      }
    }
    assert.deepStrictEqual([undefined, "EPERM", "ESRCH"].map(answering), [true, true, false])
  })

  it("names a process by its id, and its beginning where that is known", () => {
    assert.strictEqual(identityText({ pid: 7, began: undefined }), "7\n")
    assert.strictEqual(identityText({ pid: 7, began: "99" }), "7 99\n")
    assert.deepStrictEqual(identityOf("7\n"), { pid: 7, began: undefined })
    assert.deepStrictEqual(identityOf("7 99"), { pid: 7, began: "99" })
    for (const text of ["", "x", "7 x", "12345678901", "7  9"]) assert.isUndefined(identityOf(text), text)
  })

  it.skipIf(!fs.existsSync(OPEN_FILES))("knows a process by the 22nd field that the system has of it", () => {
    const fields = fs.readFileSync("/proc/1/stat", "latin1").split(") ").at(-1)!.split(" ")
    assert.isTrue(isRunning({ pid: 1, began: fields[19] }), "it may belong to another user")
    assert.isFalse(isRunning({ pid: 1, began: `${fields[19]}0` }))
  })
})

describe.skipIf(!fs.existsSync(OPEN_FILES))("files that are opened for a moment", () => {
  it.effect("are closed again, be it done or refused", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const layout = layoutOf(directory)
      const data = join(directory, "data")
      const make = async (place: string): Promise<void> => fs.writeFileSync(join(place, "data"), "new")
      const attempts: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
        ["the lock of another", Effect.scoped(lockDataDirectory(layout, () => "taken"))],
        ["the lock", Effect.scoped(lockDataDirectory(layout))],
        ["an empty data file", Effect.promise(() => beginLmdbFile(directory, "data", make))],
        ["a new store", Effect.promise(() => beginStore(join(directory, "store"), make))],
        ["a file that grows", Effect.sync(() => growthFault(data))],
        ["a directory", Effect.sync(() => syncDirectory(directory))],
        ["a file of LMDB", Effect.sync(() => inspectLmdb(data, () => {}))]
      ]
      for (const [what, attempt] of attempts) {
        yield* Effect.ignore(attempt)
        const before = openFiles()
        for (let n = 0; n < 3; n++) yield* Effect.ignore(attempt)
        assert.strictEqual(openFiles(), before, what)
      }
      assert.strictEqual(fs.readFileSync(data, "utf8").slice(0, 3), "new")
    }))

  it.effect("grow by 64 KiB of zeros to see whether they can, and say why they cannot", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = join(directory, "data")
      fs.writeFileSync(path, "pages")
      assert.isUndefined(growthFault(path))
      assert.deepStrictEqual(fs.readFileSync(path), Buffer.concat([Buffer.from("pages"), Buffer.alloc(65_536)]))
      assert.strictEqual((growthFault(join(directory, "none")) as NodeJS.ErrnoException).code, "ENOENT")
      assert.isFalse(fs.existsSync(join(directory, "none")))
      if (fs.existsSync("/dev/full")) {
        assert.strictEqual((growthFault("/dev/full") as NodeJS.ErrnoException).code, "ENOSPC")
      }
    }))
})
