import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { makePlace, type Place, until } from "./bitcoind-process.ts"

const ALLOWED = "-test=reindex_after_failure_noninteractive_yes"

let place: Place
beforeEach(async () => void (place = await makePlace()))
afterEach(() => place.remove())

describe("bitcoind without the directory of its block index", () => {
  it("asks for a rebuild, and makes one where that was allowed", async () => {
    const first = place.start()
    await place.ready()
    await place.call("generatetodescriptor", 20, "raw(51)")
    const tip = await place.call("getbestblockhash")
    await place.call("stop")
    await first.ended

    rmSync(join(place.directory, "blocks", "index"), { recursive: true })
    const refused = await place.start().ended
    assert.deepStrictEqual([refused.exitCode, refused.stderr], [
      1,
      "Error initializing block database.\nPlease restart with -reindex or -reindex-chainstate to recover.\n"
    ])

    const again = place.start(ALLOWED)
    await place.ready()
    await until("the chain is back", async () => await place.call("getbestblockhash") === tip)
    assert.include(place.debugLog(), `Wiping LevelDB in ${join(place.directory, "chainstate")}\n`)
    await place.call("stop")
    const { exitCode, stderr } = await again.ended
    assert.deepStrictEqual([exitCode, stderr], [0, ""])
  })
})
