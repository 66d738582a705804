import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Modules } from "../../../src/modules/lifecycle/modules.ts"
import { ModulesError } from "../../../src/modules/lifecycle/modules-error.ts"
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
  const modules = {
    sources: () => [...names].map((name) => ({ name, files: [fileOf(name), fileOf(name, "toml")] })),
    reload: (name: string) =>
      Effect.suspend(() => {
        reloaded.push(name)
        return state.fails ? Effect.fail(new ModulesError({ message: "it does not start" } as never)) : Effect.void
      })
  } as unknown as Modules
  const write = (name: string, text: string, file = "run"): void => writeFileSync(fileOf(name, file), text)
  for (const name of names) write(name, "1")
  yield* Effect.forkScoped(watchModules(modules))
  yield* Effect.yieldNow
  const look = Effect.gen(function*() {
    reloaded = []
    yield* TestClock.adjust(500)
    return reloaded
  })
  return { fileOf, look, names, state, write }
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
      const { look, names, write } = yield* watched
      names.delete("one")
      write("one", "22")
      assert.deepStrictEqual([...yield* look, ...yield* look], [])
      names.add("one")
      assert.deepStrictEqual([...yield* look, ...yield* look, ...yield* look], [])
      write("one", "333")
      yield* look
      assert.deepStrictEqual(yield* look, ["one"])
    })))
})
