import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { chmodSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { patience } from "../process/patience.ts"
import { makePlace, type Place, until } from "./bitcoind-process.ts"

/** So many blocks that small files hold them in several pieces. */
const BLOCKS = 650

let place: Place
beforeEach(async () => void (place = await makePlace()))
afterEach(() => {
  setRights(0o600)
  place.remove()
})

const blocks = (): string => join(place.directory, "blocks")

/** The files of blocks and undo data. */
const files = (): ReadonlyArray<string> => readdirSync(blocks()).filter((name) => /^(?:blk|rev)\d+\.dat$/.test(name))

const setRights = (mode: number, names: ReadonlyArray<string> = files()): void => {
  for (const name of names) chmodSync(join(blocks(), name), mode)
}

const started = async (...words: ReadonlyArray<string>): Promise<ReturnType<Place["start"]>> => {
  const node = place.start("-fastprune", ...words)
  await place.ready()
  return node
}

const stop = async ({ ended }: ReturnType<Place["start"]>): Promise<void> => {
  await place.call("stop")
  const { exitCode, stderr } = await ended
  assert.deepStrictEqual([exitCode, stderr], [0, ""])
}

const height = (): Promise<unknown> => place.call("getblockcount")

describe("block and undo files that are read-only", () => {
  it(
    "are read by everything that only reads them, and old ones go on being old ones when the chain grows",
    async () => {
      const first = await started()
      for (let made = 0; made < BLOCKS; made += 130) await place.call("generatetodescriptor", 130, "raw(51)")
      const hashes = await Promise.all([1, 2, 100, BLOCKS - 100].map((at) => place.call("getblockhash", at)))
      const tip = await place.call("getbestblockhash")
      await stop(first)
      const all = files()
      assert.isAbove(all.length, 5, all.join(" "))

      setRights(0o444)
      const node = await started("-txindex", "-coinstatsindex", "-blockfilterindex", "-txospenderindex", "-prune=0")
      assert.isTrue(await place.call("verifychain", 4, 0))
      for (const hash of hashes) {
        assert.isString(await place.call("getblock", hash, 0))
        assert.isObject(await place.call("getblock", hash, 3))
      }
      await until("the indexes have the chain", async () => {
        const info = await place.call("getindexinfo") as Readonly<Record<string, { synced: boolean }>>
        return Object.keys(info).length === 4 && Object.values(info).every(({ synced }) => synced)
      })
      assert.isObject(await place.call("gettxoutsetinfo", "muhash", 50))

      await place.call("invalidateblock", hashes[3])
      assert.strictEqual(await height(), BLOCKS - 101)
      // The newest file is the only one that a chain that grows needs.
      const newest = ["blk", "rev"].map((kind) => all.filter((name) => name.startsWith(kind)).toSorted().at(-1)!)
      setRights(0o600, newest)
      await place.call("reconsiderblock", hashes[3])
      assert.strictEqual(await place.call("getbestblockhash"), tip)
      await place.call("generatetodescriptor", 5, "raw(51)")
      assert.isTrue(await place.call("verifychain", 4, 0))
      await stop(node)

      const pruning = await started("-prune=1")
      const removed = await place.call("pruneblockchain", 362)
      assert.isAbove(removed as number, 0)
      assert.isBelow(files().length, all.length)
      await stop(pruning)
      setRights(0o600)
      const last = await started("-prune=1")
      assert.strictEqual(await height(), BLOCKS + 5)
      await stop(last)
    },
    patience(180_000)
  )
})
