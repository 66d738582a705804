import { assert, describe, it } from "vitest"
import { knownSplits } from "../../src/networks/known-splits.ts"
import { foreignHeaderIn } from "../../src/wire/foreign-header.ts"

/** A header of this chain with the count behind it, and one of 164 bytes. */
const ours = new Uint8Array(81).fill(0x20)
ours[80] = 0
const theirs = new Uint8Array(165).fill(0xa1)
theirs[164] = 0

const headers = (...all: ReadonlyArray<Uint8Array>): Uint8Array =>
  Uint8Array.of(all.length, ...all.flatMap((e) => [...e]))

describe("headers of another format", () => {
  it("are found by bit 31 of the version, behind those of this chain too", () => {
    const start = theirs.subarray(0, 80)
    assert.deepStrictEqual(foreignHeaderIn("headers", headers(theirs)), start)
    assert.deepStrictEqual(foreignHeaderIn("headers", headers(ours, ours, theirs, theirs)), start)
    for (const command of ["block", "cmpctblock"] as const) {
      assert.deepStrictEqual(foreignHeaderIn(command, theirs), start)
      assert.isUndefined(foreignHeaderIn(command, ours))
    }
  })

  it("are not in messages of this chain, empty ones, and ones that break off", () => {
    assert.isUndefined(foreignHeaderIn("headers", headers(ours, ours)))
    for (const bytes of [new Uint8Array(0), Uint8Array.of(0), Uint8Array.of(255), Uint8Array.of(9)]) {
      assert.isUndefined(foreignHeaderIn("headers", bytes))
      assert.isUndefined(foreignHeaderIn("block", bytes))
    }
    assert.isUndefined(foreignHeaderIn("headers", headers(theirs).subarray(0, 80)))
    assert.isUndefined(foreignHeaderIn("block", theirs.subarray(0, 79)))
  })

  it("exist since known heights", () => {
    const heights = (name: "mainnet" | "testnet4" | "regtest") => knownSplits(name).map(({ height }) => height)
    assert.deepStrictEqual([heights("mainnet"), heights("testnet4"), heights("regtest")], [
      [961_632, 961_640],
      [150_308],
      []
    ])
  })
})
