// A program for tests: fills a store, then opens it with the other engine, which copies it, and with the first one
// again.
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { makeDirectory } from "../../src/storage/disk/make-directory.ts"
import { openKeyValueStore } from "../../src/storage/key-value/open-key-value-store.ts"
import { keyOf, LAST, valueOf } from "../storage/key-value/numbered-batches.ts"

const [root = "", entries = ""] = process.argv.slice(2)
const directory = join(root, "data")

await Effect.runPromise(Effect.gen(function*() {
  makeDirectory(directory)
  const { store } = yield* openKeyValueStore({ directory, backend: "heed3" })
  yield* store.write((batch) => {
    for (let entry = 0; entry < Number(entries); entry++) batch.put(keyOf(0, entry), valueOf(0))
    batch.put(LAST, valueOf(0))
  })
  yield* store.close
  fs.writeFileSync(join(root, "filled"), "")
  for (const backend of ["leveldb", "heed3"] as const) {
    const copied = yield* openKeyValueStore({ directory, backend })
    yield* copied.store.close
  }
}))
