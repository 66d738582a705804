import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { plantChain, plantedRoot, plantOn } from "../engine/planted-blocks.ts"
import { makePlace, type Place, until } from "./bitcoind-process.ts"

const FOUND = "Found invalid chain more than 6 blocks longer than our best chain. " +
  "This could be due to database corruption or consensus incompatibility with peers."

let place: Place
beforeEach(async () => void (place = await makePlace()))
afterEach(() => place.remove())

const hex = ({ bytes }: { readonly bytes: Uint8Array }): string => Buffer.from(bytes).toString("hex")

const warnings = async (): Promise<ReadonlyArray<unknown>> =>
  Promise.all(
    ["getblockchaininfo", "getnetworkinfo", "getmininginfo"].map(async (method) =>
      (await place.call(method) as { readonly warnings: unknown }).warnings
    )
  )

describe("bitcoind with a large invalid chain", () => {
  it("warns in its answers, its log and by -alertnotify until its own chain has caught up", async () => {
    const note = join(place.base, "note")
    const { ended } = place.start(`-alertnotify=echo %s >> ${note}`, "-maxtipage=1000000000")
    await place.ready()
    const [first, second] = plantChain(plantedRoot(), 2, 100)
    assert.strictEqual(await place.call("submitblock", hex(first!)), null)
    const wrong = plantOn(plantedRoot(), 1, 1n)
    const chain = [wrong, ...plantChain(wrong.node, 7, 2)]
    for (const block of chain) await place.call("submitheader", hex(block).slice(0, 160))
    assert.strictEqual(await place.call("submitblock", hex(wrong)), "inconclusive")
    assert.deepStrictEqual(await warnings(), [[], [], []])
    await place.call("submitblock", hex(chain[1]!))
    const all = [`Warning: ${FOUND}`]
    assert.deepStrictEqual(await warnings(), [all, all, all])
    assert.match(place.debugLog(), new RegExp(`Z \\[warning\\] ${FOUND}\n`))
    await until("the command was run", () => existsSync(note) && readFileSync(note, "utf8").length > 0)
    assert.strictEqual(readFileSync(note, "utf8"), `Warning: ${FOUND}\n`)

    assert.strictEqual(await place.call("submitblock", hex(second!)), null)
    assert.deepStrictEqual(await warnings(), [[], [], []])
    await place.call("stop")
    assert.strictEqual((await ended).exitCode, 0)
  })
})
