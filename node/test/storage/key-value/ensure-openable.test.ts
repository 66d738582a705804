import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { openLmdbStore } from "../../../src/storage/key-value/lmdb-store.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

describe("an LMDB store whose files cannot be opened", () => {
  for (const name of ["lock.mdb", "data.mdb"]) {
    it.live(`is an error that names the cause, and the process lives on: ${name}`, () =>
      Effect.gen(function*() {
        const directory = join(yield* temporaryDirectory, "store")
        fs.mkdirSync(directory)
        yield* Effect.flatMap(openLmdbStore(directory), ({ close }) => close)
        fs.rmSync(join(directory, name))
        fs.mkdirSync(join(directory, name))
        const error = yield* Effect.flip(openLmdbStore(directory))
        assert.strictEqual(error.operation, "open")
        assert.match(error.message, /EISDIR|is a directory/)
      }))
  }
})
