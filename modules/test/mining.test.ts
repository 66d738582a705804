import { assert, describe, it } from "vitest"
import { heightPush } from "../mining/coinbase.ts"
import { merkleBranch, merkleRoot, sha256d } from "../mining/merkle.ts"
import { difficultyOfTarget, targetOfDifficulty } from "../mining/target.ts"
import { nextDifficulty } from "../mining/vardiff.ts"

const txid = (i: number): Uint8Array => sha256d(Uint8Array.of(i))

/** The root by its definition, level by level. */
const rootOf = (leaves: ReadonlyArray<Uint8Array>): Uint8Array => {
  if (leaves.length === 1) return leaves[0]!
  const next = Array.from(
    { length: Math.ceil(leaves.length / 2) },
    (_, i) => sha256d(Buffer.concat([leaves[2 * i]!, leaves[2 * i + 1] ?? leaves[2 * i]!]))
  )
  return rootOf(next)
}

describe("parts of a job", () => {
  it("the branch beside the coinbase leads to the root of all transactions", () => {
    for (let count = 0; count <= 17; count++) {
      const others = Array.from({ length: count }, (_, i) => txid(i))
      const coinbase = txid(200)
      assert.deepStrictEqual(merkleRoot(coinbase, merkleBranch(others)), rootOf([coinbase, ...others]), `${count}`)
    }
  })

  it.each([
    [1, "51"],
    [16, "60"],
    [17, "0111"],
    [127, "017f"],
    [128, "028000"],
    [32_767, "02ff7f"],
    [32_768, "03008000"],
    [840_000, "0340d10c"]
  ])("the height %i is pushed as %s", (height, pushed) => {
    assert.strictEqual(Buffer.from(heightPush(height)).toString("hex"), pushed)
  })

  it("difficulty 1 is the target of pools, and a target has one difficulty", () => {
    assert.strictEqual(targetOfDifficulty(1).toString(16), `ffff${"0".repeat(52)}`)
    for (const difficulty of [1e-9, 0.5, 1, 1024, 1e12]) {
      assert.approximately(difficultyOfTarget(targetOfDifficulty(difficulty)), difficulty, difficulty / 500)
    }
    assert.strictEqual(targetOfDifficulty(1e-30) >> 256n, 0n)
  })
})

describe("the difficulty of a miner", () => {
  const RULES = { shareSeconds: 10, least: 1 }
  it.each([
    ["stays while too little is known", 100, 3, 20, undefined],
    ["stays at the wanted pace", 100, 12, 110, undefined],
    ["rises with too many shares", 100, 12, 60, 200],
    ["rises by the factor 4 at most", 100, 12, 1, 400],
    ["falls without shares, by the factor 4 at most", 100, 0, 130, 25],
    ["never falls below the least", 2, 0, 130, 1],
    ["stays at the least", 1, 0, 130, undefined]
  ])("%s", (_, current, shares, seconds, expected) => {
    assert.strictEqual(nextDifficulty(RULES, current, shares, seconds), expected)
  })

  it("is judged by the time that its shares took, be it a moment, or none", () => {
    const rules = { least: 0, shareSeconds: 0.05 }
    assert.isUndefined(nextDifficulty(rules, 8, 12, 0.5))
    assert.closeTo(nextDifficulty(rules, 8, 24, 0.5)!, 19.2, 1e-9)
    assert.strictEqual(nextDifficulty(rules, 8, 12, 0), 32)
    // No time is a thousandth of a second: so many shares in it are a usual pace.
    assert.isUndefined(nextDifficulty({ least: 0, shareSeconds: 0.000_1 }, 8, 12, 0))
  })
})
