import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { makePlace, type Place } from "./bitcoind-process.ts"

let place: Place
beforeEach(async () => void (place = await makePlace()))
afterEach(() => place.remove())

describe("bitcoind -fastprune", () => {
  it("writes small block files, and prunes a chain of 650 blocks on regtest", async () => {
    const { ended } = place.start("-fastprune", "-prune=1")
    await place.ready()
    try {
      await place.call("generatetodescriptor", 650, "raw(51)")
      const blocks = join(place.directory, "blocks")
      const files = readdirSync(blocks).filter((name) => /^blk\d+\.dat$/.test(name))
      assert.isAbove(files.length, 1)
      for (const name of files) assert.isAtMost(statSync(join(blocks, name)).size, 65_536, name)
      assert.isAbove(await place.call("pruneblockchain", 362) as number, 0)
      assert.notInclude(readdirSync(blocks), "blk00000.dat")
    } finally {
      await place.call("stop")
      await ended
    }
  })
})
