import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { openKeyValueStore } from "../../src/storage/key-value/open-key-value-store.ts"
import { patience } from "../process/patience.ts"
import { makePlace, type Place, until } from "./bitcoind-process.ts"

/** Larger than any machine lets pass without a warning, in a file that takes no room. */
const LARGE = 5 * 2 ** 30

let place: Place
let stores: string
beforeEach(async () => {
  place = await makePlace()
  stores = join(place.directory, "chainstate")
})
afterEach(() => place.remove())

const stop = async ({ ended }: ReturnType<Place["start"]>): Promise<void> => {
  await place.call("stop")
  const { exitCode, stderr } = await ended
  assert.deepStrictEqual([exitCode, stderr], [0, ""])
}

describe("the store of bitcoind", () => {
  it("is LevelDB in a new data directory", async () => {
    const node = place.start()
    await place.ready()
    await stop(node)
    assert.isTrue(existsSync(join(stores, "store-leveldb", "CURRENT")))
    assert.isFalse(existsSync(join(stores, "store-heed3")))
  })

  it(
    "stays LMDB where it is, with a warning once it is large, and following that makes it LevelDB with the same chain",
    async () => {
      mkdirSync(stores, { recursive: true })
      mkdirSync(join(place.directory, "blocks", "index"), { recursive: true })
      const { close } = await Effect.runPromise(openKeyValueStore({ directory: stores, backend: "heed3" }))
      await Effect.runPromise(close)
      const first = place.start()
      await place.ready()
      await place.call("generatetodescriptor", 20, "raw(51)")
      const tip = await place.call("getbestblockhash")
      await stop(first)
      assert.notInclude(place.debugLog(), "is LMDB and has")

      truncateSync(join(stores, "store-heed3", "data.mdb"), LARGE)
      const large = place.start()
      await place.ready()
      assert.strictEqual(await place.call("getbestblockhash"), tip)
      const { warnings } = await place.call("getnetworkinfo") as { readonly warnings: ReadonlyArray<string> }
      const warning = warnings.find((text) => text.includes("is LMDB and has 5120 MiB"))
      assert.include(warning, "Start once with -reindex")
      assert.include(place.debugLog(), "is LMDB and has 5120 MiB")
      await stop(large)

      const anew = place.start("-reindex")
      await place.ready()
      await until("the chain is back", async () => await place.call("getbestblockhash") === tip)
      assert.deepStrictEqual(
        (await place.call("getnetworkinfo") as { readonly warnings: ReadonlyArray<string> }).warnings.filter((text) =>
          text.includes("LMDB")
        ),
        []
      )
      await stop(anew)
      assert.isTrue(existsSync(join(stores, "store-leveldb", "CURRENT")))
      assert.isFalse(existsSync(join(stores, "store-heed3")))
      const last = place.start()
      await place.ready()
      assert.strictEqual(await place.call("getbestblockhash"), tip)
      await stop(last)
    },
    patience(120_000)
  )
})
