import { nobleCrypto } from "@lockstep/kernel/noble"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { scriptsAt } from "../src/descriptor/descriptor.ts"
import { parseDescriptor } from "../src/descriptor/parse-descriptor.ts"
import { inferredOrder, type Leaf, taprootTree } from "../src/descriptor/taproot-tree.ts"

const leaf = (depth: number, ...script: ReadonlyArray<number>): Leaf => ({ depth, script: Uint8Array.from(script) })

/** The leaves of a tree, and those of it in the order of an inferred descriptor. */
const TREES: ReadonlyArray<readonly [given: ReadonlyArray<Leaf>, order: ReadonlyArray<number>]> = [
  [[leaf(0, 5)], [0]],
  [[leaf(1, 1), leaf(1, 2)], [0, 1]],
  [[leaf(1, 2), leaf(1, 1)], [1, 0]],
  [[leaf(1, 1, 0), leaf(1, 1)], [1, 0]],
  [[leaf(1, 2), leaf(2, 3), leaf(2, 1)], [2, 1, 0]],
  [[leaf(2, 4), leaf(2, 2), leaf(2, 3), leaf(2, 1)], [3, 2, 1, 0]],
  // Of equal scripts the one with the shorter path.
  [[leaf(2, 1), leaf(2, 9), leaf(1, 1)], [2, 0, 1]]
]

describe("the tree of an inferred descriptor", () => {
  it("has of two branches the one with the lesser script first", () => {
    for (const [given, order] of TREES) assert.deepStrictEqual(inferredOrder(given, nobleCrypto), order)
  })

  it("is the same tree", () => {
    for (const [given, order] of TREES) {
      const ordered = order.map((place) => given[place]!)
      assert.deepStrictEqual(taprootTree(ordered, nobleCrypto).root, taprootTree(given, nobleCrypto).root)
    }
  })

  it("is that of Bitcoin Core", () => {
    const [a, b, c, d] = [
      "d7da18e28d6463ea9b7e93402aec0e122b76a669e04ad12f5f4b913f772751ef",
      "c551ebe492dc347f005ab6f2dd1476d63d4d012767dc7113120d8c44af0dbf23",
      "871f2b5cc8f6c360e88957718612e497b7a9143aa0994fc497c64dd7ad77922f",
      "0e04eaaddfd3334fcf258e721a7d9dd8dd3c9f586af9fb85d15326d6ce9e5640"
    ]
    const internal = "0384d5018727d59b669e7e57090f92585db1f2f34b208df76f3de58e806a3545"
    const [expression] = Result.getOrThrow(
      parseDescriptor(`tr(${internal},{pk(${a}),{pk(${b}),{pk(${c}),pk(${d})}}})`, REGTEST)
    )
    const [script] = scriptsAt(expression!, 0, { network: REGTEST, crypto: nobleCrypto })!
    assert.strictEqual(
      script!.descriptor,
      `tr([95d0a1fe]${internal},{{{pk([3362d478]${d}),pk([e614cc98]${c})},pk([42b19bff]${b})},pk([a34f40c1]${a})})#27htqf3e`
    )
  })
})
