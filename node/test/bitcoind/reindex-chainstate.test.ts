import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { makePlace, type Place, until } from "./bitcoind-process.ts"

let place: Place
beforeEach(async () => void (place = await makePlace()))
afterEach(() => place.remove())

const HEIGHT = 150
const INDEXES = ["-txindex", "-txospenderindex", "-coinstatsindex", "-blockfilterindex"]

const files = (): ReadonlyArray<string> => {
  const blocks = join(place.directory, "blocks")
  return readdirSync(blocks).filter((name) => /^(blk|rev)\d+\.dat$/.test(name)).sort()
    .map((name) => `${name} ${readFileSync(join(blocks, name), "base64")}`)
}

const setInfo = async (useIndex: boolean) => {
  const { bestblock, height, muhash, txouts } = await place.call(
    "gettxoutsetinfo",
    "muhash",
    null,
    useIndex
  ) as Readonly<
    Record<string, unknown>
  >
  return { bestblock, height, muhash, txouts }
}

/** Waits until the chain and its indexes are where they were. */
const untilBack = () =>
  until("the chain is back", async () => {
    const states = Object.values(await place.call("getindexinfo") as Record<string, { readonly synced: boolean }>)
    const { loaded } = await place.call("getmempoolinfo") as { readonly loaded: boolean }
    return loaded && await place.call("getblockcount") === HEIGHT && states.every(({ synced }) => synced)
  })

describe("bitcoind -reindex-chainstate", () => {
  it("makes the coins anew from files that stay as they are, also after SIGKILL on the way", async () => {
    const first = place.start(...INDEXES)
    await place.ready()
    await place.call("generatetodescriptor", HEIGHT, "raw(51)")
    const info = await setInfo(false)
    await place.call("stop")
    await first.ended
    const before = files()

    const killed = place.start("-reindex-chainstate", ...INDEXES)
    await until("the coins are thrown away", () => place.debugLog().includes("Wiping LevelDB in "))
    await until("the chain comes back", () => place.debugLog().split("initload thread start").length > 2)
    place.signal(killed.pid, "SIGKILL")
    await killed.ended

    const next = place.start(...INDEXES)
    await place.ready()
    await untilBack()
    assert.deepStrictEqual(await setInfo(false), info)
    assert.deepStrictEqual(await setInfo(true), info)
    assert.strictEqual(await place.call("verifychain", 4, 0), true)
    await place.call("stop")
    const { exitCode, stderr } = await next.ended
    assert.deepStrictEqual([exitCode, stderr], [0, ""])
    assert.deepStrictEqual(files(), before)
  })
})
