import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type * as Promises from "node:fs/promises"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { afterAll, beforeAll, vi } from "vitest"
import { cookieAt, cookieFile } from "../../../src/http/auth/cookie-file.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"

/** What the disk does to the next files, in the order of their calls. */
const faults = { write: [] as Array<NodeJS.ErrnoException>, rename: [] as Array<Error>, closed: 0 }

// The module's own object, from which `syncBuiltinESMExports` renews what others have imported by name.
const promises = createRequire(import.meta.url)("node:fs/promises") as {
  -readonly [K in keyof typeof Promises]: typeof Promises[K]
}
const { open, rename } = promises

beforeAll(() => {
  promises.open = async (...args) => {
    const file = await open(...args)
    const { close, writeFile } = file
    file.writeFile = async (...written: Parameters<typeof writeFile>) => {
      const fault = faults.write.shift()
      if (fault !== undefined) throw fault
      return writeFile.apply(file, written)
    }
    file.close = () => {
      faults.closed++
      return close.apply(file)
    }
    return file
  }
  promises.rename = async (...args) => {
    const fault = faults.rename.shift()
    if (fault !== undefined) throw fault
    return rename(...args)
  }
  syncBuiltinESMExports()
})

afterAll(() => {
  Object.assign(promises, { open, rename })
  syncBuiltinESMExports()
})

const errorOf = (code: string): NodeJS.ErrnoException => Object.assign(new Error(`${code}: no luck`), { code })

describe("the cookie", () => {
  it.effect("replaces what is left of an earlier one, whole or unfinished", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      writeFileSync(`${directory}/.cookie`, "old")
      writeFileSync(`${directory}/.cookie.tmp`, "unfinished, and longer than the new one can ever be".repeat(9))
      const cookie = yield* cookieFile(directory)
      assert.match(cookie, /^__cookie__:[0-9a-f]{64}$/)
      assert.deepStrictEqual(readdirSync(directory), [".cookie"])
      assert.strictEqual(readFileSync(`${directory}/.cookie`, "utf8"), cookie)
    }))

  it.effect("has the permissions that were asked for, those of its owner alone unless others were", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      for (
        const [name, mode, expected] of [["a", undefined, 0o600], ["b", 0o640, 0o640], ["c", 0o666, 0o666]] as const
      ) {
        yield* cookieAt(`${directory}/${name}`, mode)
        assert.strictEqual(statSync(`${directory}/${name}`).mode & 0o777, expected)
      }
    }))

  it.effect("of an earlier process is not valid any more where a new one cannot be written, and nothing is left of that", () =>
    Effect.gen(function*() {
      for (const kind of ["write", "rename"] as const) {
        const directory = yield* temporaryDirectory
        writeFileSync(`${directory}/.cookie`, "old")
        faults[kind].push(errorOf("EIO"))
        const before = faults.closed
        const { message } = yield* Effect.flip(cookieFile(directory))
        assert.match(message, /^cannot write the cookie for tools on this machine: /)
        assert.include(message, `${directory}/.cookie`)
        assert.deepStrictEqual(readdirSync(directory), [])
        assert.strictEqual(faults.closed, before + 1)
      }
    }))

  it.effect("is written as soon as the disk has room, tried each second, while the node serves already", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = `${directory}/.cookie`
      const said: Array<string> = []
      const listening = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      faults.write.push(...Array.from({ length: 3 }, () => errorOf("ENOSPC")))
      const cookie = yield* Effect.provide(cookieFile(directory), listening)
      const settled = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      for (let left = 2; left > 0; left--) {
        assert.isFalse(existsSync(path))
        yield* settled
        yield* TestClock.adjust(999)
        yield* settled
        assert.strictEqual(faults.write.length, left === 2 ? 1 : 0, "not before a second")
        yield* TestClock.adjust(1)
        yield* settled
      }
      assert.strictEqual(readFileSync(path, "utf8"), cookie)
      assert.deepStrictEqual(said, [
        "The cookie for tools on this machine cannot be written: the disk is full",
        "The cookie for tools on this machine is written"
      ])
    }))

  it.effect("is given up with a line in the log where something else than room is missing then", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const said: Array<string> = []
      const listening = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      faults.write.push(errorOf("ENOSPC"), errorOf("EIO"))
      yield* Effect.provide(cookieFile(directory), listening)
      yield* Effect.promise(() => vi.waitFor(() => assert.lengthOf(said, 2)))
      assert.strictEqual(said[1], "There is no cookie for tools on this machine")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(readdirSync(directory), [])
    }))

  it.effect("goes with its scope, and what stands there instead meanwhile is left", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = `${directory}/.cookie`
      for (const instead of [() => {}, () => writeFileSync(path, "of another process")]) {
        const scope = yield* Scope.make()
        yield* Scope.provide(cookieAt(path), scope)
        instead()
        const isOthers = readFileSync(path, "utf8").startsWith("of")
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(existsSync(path), isOthers)
      }
      const scope = yield* Scope.make()
      yield* Scope.provide(cookieAt(`${directory}/other`), scope)
      mkdirSync(`${directory}/folder`)
      yield* Effect.promise(async () => {
        const { rm } = await import("node:fs/promises")
        await rm(`${directory}/other`)
      })
      symlinkSync(`${directory}/folder`, `${directory}/other`)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(existsSync(`${directory}/other`), "what cannot be read is not the cookie")
    }))
})
