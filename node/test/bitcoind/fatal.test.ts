import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { unlinkSync } from "node:fs"
import { join } from "node:path"
import { plantChain, plantedRoot } from "../engine/planted-blocks.ts"
import { makePlace, type Place } from "./bitcoind-process.ts"

let place: Place
beforeEach(async () => void (place = await makePlace()))
afterEach(() => place.remove())

const FATAL = "A fatal internal error occurred, see debug.log for details: Failed to disconnect block."

describe("bitcoind whose undo data are removed from outside", () => {
  it("stops when it needs them, in Bitcoin Core's words", async () => {
    const { ended } = place.start()
    await place.ready()
    await place.call("generatetodescriptor", 3, "raw(51)")
    unlinkSync(join(place.directory, "blocks", "rev00000.dat"))
    for (const { bytes } of plantChain(plantedRoot(), 4)) {
      await place.call("submitblock", Buffer.from(bytes).toString("hex")).catch(() => undefined)
    }
    const { exitCode, stderr } = await ended
    assert.deepStrictEqual([exitCode, stderr], [1, `Error: ${FATAL}\n`])
    assert.match(place.debugLog(), /Z \[error\] .*rev00000\.dat/)
    assert.include(place.debugLog(), `Z [error] ${FATAL}\n`)
  })
})
