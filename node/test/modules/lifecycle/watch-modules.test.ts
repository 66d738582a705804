import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Modules } from "../../../src/modules/lifecycle/modules.ts"
import { ModulesError } from "../../../src/modules/lifecycle/modules-error.ts"
import { sourceMark } from "../../../src/modules/registry/source-mark.ts"
import { watchModules } from "../../../src/modules/lifecycle/watch-modules.ts"

/** A node that watches the files of modules; `look` lets it look once more, and answers what it has reloaded. */
const watched = Effect.gen(function*() {
  const root = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "lockstep-watch-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const names = new Set(["one", "two"])
  const state = { fails: false }
  let reloaded: Array<string> = []
  const fileOf = (name: string, file = "run"): string => join(root, `${name}.${file}`)
  const filesOf = (name: string): ReadonlyArray<string> => [fileOf(name), fileOf(name, "toml")]
  const marks = new Map<string, string>()
  /** The node reads the files of a module. */
  const load = (name: string): void => void marks.set(name, sourceMark(filesOf(name)))
  const modules = {
    sources: () => [...names].map((name) => ({ name, files: filesOf(name), mark: marks.get(name)! })),
    reload: (name: string) =>
      Effect.suspend(() => {
        reloaded.push(name)
        if (state.fails) return Effect.fail(new ModulesError({ message: "it does not start" } as never))
        load(name)
        return Effect.void
      })
  } as unknown as Modules
  const write = (name: string, text: string, file = "run"): void => writeFileSync(fileOf(name, file), text)
  for (const name of names) {
    write(name, "1")
    load(name)
  }
  yield* Effect.forkScoped(watchModules(modules))
  yield* Effect.yieldNow
  const look = Effect.gen(function*() {
    reloaded = []
    yield* TestClock.adjust(500)
    return reloaded
  })
  return { fileOf, load, look, names, state, write }
})

describe("a node that watches the files of its modules", () => {
  it.effect("reloads a module once its files have changed and are the same at two looks", () =>
    Effect.scoped(Effect.gen(function*() {
      const { look, write } = yield* watched
      assert.deepStrictEqual(yield* look, [])
      write("one", "22")
      assert.deepStrictEqual(yield* look, [])
      assert.deepStrictEqual(yield* look, ["one"])
      assert.deepStrictEqual(yield* look, [])
      // A file that is still being written is no reason.
      for (const text of ["333", "4444", "55555"]) {
        write("two", text)
        assert.deepStrictEqual(yield* look, [])
      }
      assert.deepStrictEqual(yield* look, ["two"])
    })))

  it.effect("looks at all its files, also at one that comes or goes", () =>
    Effect.scoped(Effect.gen(function*() {
      const { fileOf, look, write } = yield* watched
      write("two", "a = 1", "toml")
      yield* look
      assert.deepStrictEqual(yield* look, ["two"])
      unlinkSync(fileOf("two", "toml"))
      yield* look
      assert.deepStrictEqual(yield* look, ["two"])
    })))

  it.effect("goes on after a module that cannot be reloaded, and tries it again when it changes", () =>
    Effect.scoped(Effect.gen(function*() {
      const { look, state, write } = yield* watched
      state.fails = true
      for (const text of ["22", "333"]) {
        write("one", text)
        write("two", text)
        yield* look
        assert.deepStrictEqual(yield* look, ["one", "two"])
        assert.deepStrictEqual(yield* look, [])
      }
    })))

  it.effect("forgets a module that is gone: what it has when it comes again is no change", () =>
    Effect.scoped(Effect.gen(function*() {
      const { load, look, names, write } = yield* watched
      names.delete("one")
      write("one", "22")
      assert.deepStrictEqual([...yield* look, ...yield* look], [])
      names.add("one")
      load("one")
      assert.deepStrictEqual([...yield* look, ...yield* look, ...yield* look], [])
      write("one", "333")
      yield* look
      assert.deepStrictEqual(yield* look, ["one"])
    })))

  it.effect("reloads a module whose files changed right after it was loaded, before the first look", () =>
    Effect.scoped(Effect.gen(function*() {
      const { load, look, names, write } = yield* watched
      names.delete("one")
      yield* look
      names.add("one")
      load("one")
      write("one", "22")
      assert.deepStrictEqual([...yield* look, ...yield* look], ["one"])
      assert.deepStrictEqual([...yield* look, ...yield* look], [])
    })))
})
