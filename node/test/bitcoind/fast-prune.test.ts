import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makePlace, type Place } from "./bitcoind-process.ts"

let place: Place
beforeEach(async () => void (place = await makePlace()))
afterEach(() => place.remove())

describe("bitcoind -fastprune", () => {
  it("writes small block files without a key, prunes a chain of 650 blocks on regtest, and keeps a stored key", async () => {
    const { ended } = place.start("-fastprune", "-prune=1", "-blocksxor=0", "-coinstatsindex", "-debug=prune")
    await place.ready()
    try {
      await place.call("generatetodescriptor", 650, "raw(51)")
      const blocks = join(place.directory, "blocks")
      const files = readdirSync(blocks).filter((name) => /^blk\d+\.dat$/.test(name))
      assert.isAbove(files.length, 1)
      for (const name of files) assert.isAtMost(statSync(join(blocks, name)).size, 65_536, name)
      assert.strictEqual(readFileSync(join(blocks, "xor.dat")).toString("hex"), "00".repeat(8))
      assert.strictEqual(readFileSync(join(blocks, "blk00000.dat")).toString("hex", 0, 4), "fabfb5da")
      assert.isAbove(await place.call("pruneblockchain", 362) as number, 0)
      // Where the index was at that moment.
      assert.match(place.debugLog(), /\[prune\] index limited pruning to height [1-9]\d*\n/)
      assert.notInclude(readdirSync(blocks), "blk00000.dat")
    } finally {
      await place.call("stop")
      await ended
    }
    const path = join(place.directory, "blocks", "xor.dat")
    writeFileSync(path, Buffer.from("0123456789abcdef", "hex"))
    const { exitCode, stderr } = await place.start("-blocksxor=0").ended
    assert.deepStrictEqual({ exitCode, stderr }, {
      exitCode: 1,
      stderr:
        "Error: Failed to initialize ChainstateManager: The blocksdir XOR-key can not be disabled when a random key was " +
        `already stored! Stored key: '0123456789abcdef', stored path: '${path}'.\n`
    })
  })
})
