import { assert, describe, it } from "@effect/vitest"
import type { Coin } from "@lockstep/kernel/utxo"
import { changedCoins } from "../../src/coins/changed-coins.ts"
import { coinKey } from "../../src/coins/coin-key.ts"

/** Names in the order of their keys: a byte of the id, and the number of the output. */
const outPoint = (name: string) => ({
  txid: new Uint8Array(32).fill(name.charCodeAt(0)),
  vout: Number(name.slice(1))
})

const coin = (height: number): Coin => ({ value: 5n, script: Uint8Array.of(0x51), height, isCoinbase: false })

/** The coins of a store, each of height 1, under these changes: what comes before or at each, and what is behind them. */
const mergedOver = (
  stored: ReadonlyArray<string>,
  changes: ReadonlyArray<readonly [name: string, height: number | undefined]>
) => {
  const changed = changedCoins()
  for (const [name, height] of changes) {
    changed.set(outPoint(name), height === undefined ? undefined : coin(height))
  }
  const named = (coins: ReturnType<typeof changed.rest>): ReadonlyArray<string> =>
    coins.map(({ coin: { height }, outpoint }) => {
      assert.lengthOf(outpoint.txid, 32)
      return `${String.fromCharCode(outpoint.txid[31]!)}${outpoint.vout}=${height}`
    })
  return [
    ...stored.map((name) => named(changed.merged(coinKey(outPoint(name)), coin(1)))),
    named(changed.rest())
  ]
}

describe("coins that differ from those in the store", () => {
  it("come in their places among those of the store, in the order of keys", () => {
    assert.deepStrictEqual(
      mergedOver(["b1", "c0"], [["d0", 9], ["b256", 8], ["a0", 7], ["b2", 6]]),
      [["a0=7", "b1=1"], ["b2=6", "b256=8", "c0=1"], ["d0=9"]]
    )
  })

  it("take the place of those with the same key, or leave none", () => {
    assert.deepStrictEqual(mergedOver(["a0", "b0", "c0"], [["a0", 7], ["c0", undefined]]), [
      [],
      ["a0=7", "b0=1"],
      [],
      []
    ])
  })

  it("leave no trace where the store has none either", () => {
    assert.deepStrictEqual(mergedOver(["b0"], [["a0", undefined], ["c0", undefined]]), [["b0=1"], []])
  })

  it("are what was set last, and count once", () => {
    assert.deepStrictEqual(mergedOver([], [["a0", 2], ["a0", undefined], ["b0", undefined], ["b0", 3]]), [["b0=3"]])
    const changed = changedCoins()
    assert.strictEqual(changed.size(), 0)
    for (const height of [1, 2]) changed.set(outPoint("a0"), coin(height))
    changed.set(outPoint("a1"), undefined)
    assert.strictEqual(changed.size(), 2)
  })
})
