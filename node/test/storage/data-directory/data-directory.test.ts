import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { lockDataDirectory } from "../../../src/storage/data-directory/directory-lock.ts"
import { layoutOf } from "../../../src/storage/data-directory/layout.ts"
import { openDataDirectory } from "../../../src/storage/data-directory/open-data-directory.ts"
import {
  identityOf,
  identityText,
  isRunning,
  ownIdentity
} from "../../../src/storage/data-directory/process-identity.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { endsWithTests } from "../../process/ends-with-tests.ts"

const network = "regtest"
const HOLDER = fileURLToPath(new URL("./lock-holder.ts", import.meta.url))

/** A process of its own that holds a directory until it is killed. */
const holder = (directory: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = endsWithTests(spawn(process.execPath, ["--no-warnings", HOLDER, directory], {
        stdio: ["ignore", "pipe", "inherit"]
      }))
      await once(child.stdout, "data")
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

describe("data directory", () => {
  it.effect("is made for its owner alone, marked and locked, and can be opened again later", () =>
    Effect.gen(function*() {
      const directory = join(yield* temporaryDirectory, "deep", "regtest")
      const layout = yield* Effect.scoped(openDataDirectory({ directory, network }))
      assert.strictEqual(fs.statSync(directory).mode & 0o777, 0o700)
      assert.deepStrictEqual(JSON.parse(fs.readFileSync(layout.schema, "utf8")), { schema: 1, network })
      assert.deepStrictEqual(fs.readdirSync(directory).toSorted(), ["lock", "schema.json"])
      yield* openDataDirectory({ directory, network })
      assert.strictEqual(identityOf(fs.readFileSync(layout.lock, "latin1"))?.pid, process.pid)
    }))

  it.effect("a second holder in the same process is refused", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* openDataDirectory({ directory, network })
      const error = yield* Effect.flip(Effect.scoped(openDataDirectory({ directory, network })))
      assert.strictEqual(error.reason, "locked")
      assert.include(error.message, `process ${process.pid}`)
      assert.include(error.message, directory)
      assert.include(error.message, "--data-dir")
    }))

  it.effect("another process is refused with the id of the holder, and let in when that is killed", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const child = yield* holder(directory)
      const error = yield* Effect.flip(Effect.scoped(openDataDirectory({ directory, network })))
      assert.strictEqual(error.reason, "locked")
      assert.include(error.message, `process ${child.pid}`)
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      yield* Effect.promise(() => ended)
      yield* openDataDirectory({ directory, network })
    }))

  it.effect("where the kernel has no locks the process is asked for by its id and its beginning", () =>
    Effect.gen(function*() {
      const layout = layoutOf(yield* temporaryDirectory)
      const lock = lockDataDirectory(layout, () => "unsupported")
      yield* Effect.scoped(Effect.gen(function*() {
        yield* lock
        const error = yield* Effect.flip(Effect.scoped(lock))
        assert.include(error.message, `process ${process.pid}`)
      }))
      yield* Effect.scoped(lock)
      const leftBehind = [
        "",
        "garbage",
        "4194304999",
        identityText({ pid: process.pid, began: "1" }),
        identityText({ pid: 2 ** 22 + 1, began: undefined })
      ]
      for (const text of leftBehind) {
        fs.writeFileSync(layout.lock, text)
        yield* Effect.scoped(lock)
      }
    }))

  it("distinguishes a process from a later one with its id", () => {
    const own = ownIdentity()
    assert.isTrue(isRunning(own))
    assert.isTrue(isRunning({ pid: own.pid, began: undefined }))
    assert.deepStrictEqual(identityOf(identityText(own)), own)
    if (own.began !== undefined) assert.isFalse(isRunning({ ...own, began: `${own.began}1` }))
  })

  const refused = (name: string, text: string, reason: string, words: RegExp): void => {
    it.effect(`${name} is refused and left as it is`, () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const { schema } = layoutOf(directory)
        fs.writeFileSync(schema, text)
        const error = yield* Effect.flip(Effect.scoped(openDataDirectory({ directory, network })))
        assert.strictEqual(error.reason, reason)
        assert.match(error.message, words)
        assert.strictEqual(fs.readFileSync(schema, "utf8"), text)
        assert.deepStrictEqual(fs.readdirSync(directory).toSorted(), ["lock", "schema.json"])
      }))
  }
  refused(
    "a newer schema",
    `{"schema":2,"network":"regtest"}`,
    "newer",
    /newer version.*schema 2; this version knows up to 1.*restore the file from a copy/
  )
  refused("a newer schema of a network that is not known", `{"schema":2,"network":"new"}`, "newer", /schema 2;/)
  refused("another network", `{"schema":1,"network":"mainnet"}`, "io", /network mainnet, not to regtest/)
  for (
    const text of [
      "",
      "{",
      "[]",
      "null",
      `{"schema":"1","network":"regtest"}`,
      `{"schema":1.5,"network":"regtest"}`,
      `{"schema":0,"network":"regtest"}`,
      `{"schema":-1,"network":"regtest"}`,
      `{"schema":1,"network":7}`,
      `{"schema":1,"network":"elsewhere"}`,
      `{"schema":1}`,
      `{"network":"regtest"}`,
      "7",
      `"text"`
    ]
  ) {
    refused(`a mark that reads ${JSON.stringify(text)}`, text, "corrupt", /schema\.json.*cannot be read/)
  }

  it.effect("a path that is a file, or lies below one, or leads nowhere, is named", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const file = join(directory, "file")
      fs.writeFileSync(file, "mine")
      fs.symlinkSync(join(directory, "nowhere", "deep"), join(directory, "link"))
      for (const path of [file, join(file, "below"), join(directory, "link"), "/proc/nowhere/data"]) {
        const error = yield* Effect.flip(Effect.scoped(openDataDirectory({ directory: path, network })))
        assert.strictEqual(error.part, "data-directory")
        assert.include(error.message, path)
      }
      assert.strictEqual(fs.readFileSync(file, "utf8"), "mine")
      assert.deepStrictEqual(fs.readdirSync(directory).toSorted(), ["file", "link"])
    }))

  it.effect.skipIf(process.getuid?.() === 0)(
    "a directory that may not be written to is named",
    () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        fs.chmodSync(directory, 0o500)
        const error = yield* Effect.flip(Effect.scoped(openDataDirectory({ directory, network })))
        assert.match(error.message, /permission is denied/)
        fs.chmodSync(directory, 0o700)
      })
  )

  it.effect("a lock that is a directory is named", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      fs.mkdirSync(join(directory, "lock"))
      assert.include(
        (yield* Effect.flip(Effect.scoped(openDataDirectory({ directory, network })))).message,
        join(directory, "lock")
      )
    }))
})
