import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { openLevelStore } from "../../../src/storage/key-value/level-store.ts"
import { tablesInUse } from "../../../src/storage/key-value/opening/level-manifest.ts"
import { levelTablesFault } from "../../../src/storage/key-value/opening/level-table-fault.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

const tablesIn = (directory: string): ReadonlyArray<string> =>
  fs.readdirSync(directory).filter((name) => name.endsWith(".ldb"))

/** A closed store whose data stand in tables: more of them than its write buffer takes. */
const storeWithTables = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const store = yield* openLevelStore(directory)
  for (let batch = 0; batch < 40; batch++) {
    yield* store.write((writer) => {
      for (let n = 0; n < 40; n++) {
        writer.put(Uint8Array.of(1, n, batch), crypto.getRandomValues(new Uint8Array(60_000)))
      }
    })
  }
  yield* store.close
  return directory
})

const MINUTE = 60_000

describe("the tables of LevelDB", () => {
  it.effect("are those its manifest names: a piece of one that a death left behind is no damage", () =>
    Effect.gen(function*() {
      const directory = yield* storeWithTables
      const tables = tablesIn(directory)
      assert.isAbove(tables.length, 1)
      const manifest = fs.readFileSync(join(directory, fs.readFileSync(join(directory, "CURRENT"), "utf8").trim()))
      const inUse = [...tablesInUse(manifest) ?? []]
      assert.isNotEmpty(inUse)
      // Closing ends a compaction that is under way, so some of the tables may not be in use yet.
      assert.includeMembers(tables.map((name) => Number.parseInt(name, 10)), inUse)
      fs.writeFileSync(join(directory, "999999.ldb"), fs.readFileSync(join(directory, tables[0]!)).subarray(0, 5000))
      assert.isUndefined(levelTablesFault(directory, MINUTE))
    }))

  it.effect("are looked at wherever the manifest names them", () =>
    Effect.gen(function*() {
      const directory = yield* storeWithTables
      const manifest = fs.readFileSync(join(directory, fs.readFileSync(join(directory, "CURRENT"), "utf8").trim()))
      const [inUse = 0] = tablesInUse(manifest) ?? []
      const table = tablesIn(directory).find((name) => Number.parseInt(name, 10) === inUse)
      const path = join(directory, table!)
      const content = fs.readFileSync(path)
      fs.writeFileSync(path, content.subarray(0, content.length >> 1))
      assert.include(levelTablesFault(directory, MINUTE), table)
    }))
})
