import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { moduleStorage } from "../../src/modules/api/module-storage.ts"

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

describe("the database of a module", () => {
  it.live("has its entries when it is opened again, whatever its keys are", () =>
    Effect.gen(function*() {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "lsm-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const keys = ["q:hook", "\0", "\u{ff}\u{ff}"].map(text)
      const opened = Effect.flatMap(Effect.scope, (scope) => moduleStorage(scope, directory))
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* opened
        yield* store.write((batch) => keys.forEach((key) => batch.put(key, text("value"))))
      }))
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* opened
        for (const key of keys) assert.deepStrictEqual(Buffer.from((yield* store.get(key))!), Buffer.from("value"))
      }))
      assert.deepStrictEqual(readdirSync(directory), ["store-leveldb"])
    }))
})
