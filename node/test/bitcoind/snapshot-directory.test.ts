import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { networkWith } from "@lockstep/protocol/networks/changed-network.ts"
import * as Result from "effect/Result"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { snapshotDirectory } from "../../src/bitcoind/run/snapshot-directory.ts"
import type { ChainState } from "../../src/engine/api/chain-state.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const KNOWN = networkWith("regtest", {}).assumeUtxo[0]!

const made = (...words: ReadonlyArray<string>) => {
  const lines: Array<string> = []
  const plan = Result.getOrThrow(home.plan("-regtest", ...words))
  const directory = snapshotDirectory(plan, home.base, ({ text }) => void lines.push(text))
  return { directory, lines }
}

const state = (hash: Uint8Array | undefined, isBehind = true): ChainState =>
  ({
    snapshot: hash && { height: 299, hash, background: isBehind ? {} : undefined }
  }) as unknown as ChainState

const path = () => join(home.base, "chainstate_snapshot")
const base = () => join(path(), "base_blockhash")

describe("the directory chainstate_snapshot", () => {
  it("is made when a snapshot was loaded, and removed by the first start after it was confirmed", () => {
    const first = made()
    assert.isUndefined(first.directory.fault())
    first.directory.changed(state(undefined))
    assert.isFalse(existsSync(path()))
    first.directory.changed(state(KNOWN.hash))
    assert.deepStrictEqual(new Uint8Array(readFileSync(base())), KNOWN.hash)
    assert.deepStrictEqual([path(), base()].map((each) => statSync(each).mode & 0o777), [0o700, 0o600])
    assert.deepStrictEqual(first.lines, [])
    // It stays until the next start, and over starts as long as the snapshot is not confirmed.
    first.directory.changed(state(KNOWN.hash, false))
    const second = made()
    assert.isUndefined(second.directory.fault())
    second.directory.opened(state(KNOWN.hash))
    assert.isTrue(existsSync(base()))
    second.directory.opened(state(undefined))
    assert.isFalse(existsSync(path()))
    assert.deepStrictEqual(second.lines, [
      "[snapshot] cleaning up unneeded background chainstate, then reinitializing"
    ])
  })

  it.each(["-reindex", "-reindex-chainstate"])("that is not there is not deleted with %s", (option) => {
    const { directory, lines } = made(option)
    assert.isUndefined(directory.fault())
    assert.deepStrictEqual(lines, [])
  })

  it("ends a start when it names a block that is the base of no known snapshot", () => {
    mkdirSync(path())
    writeFileSync(base(), "z".repeat(32))
    assert.strictEqual(
      made().directory.fault(),
      `A fatal internal error occurred, see debug.log for details: Assumeutxo data not found for the given blockhash '${
        "7a".repeat(32)
      }'.`
    )
  })

  it("is left as it is without a hash in it, which is logged", () => {
    mkdirSync(path())
    const { directory, lines } = made()
    assert.isUndefined(directory.fault())
    directory.opened(state(undefined))
    assert.isTrue(existsSync(path()))
    assert.match(lines.join("\n"), /^\[snapshot\] snapshot chainstate dir is malformed! no base blockhash file exists/)
  })

  it.each(["-reindex", "-reindex-chainstate"])("is deleted with %s, whatever it names", (option) => {
    mkdirSync(path())
    writeFileSync(base(), "z".repeat(32))
    const { directory, lines } = made(option)
    assert.isUndefined(directory.fault())
    assert.isFalse(existsSync(path()))
    assert.deepStrictEqual(lines, ["[snapshot] deleting snapshot chainstate due to reindexing"])
  })
})
