import { assert, describe, it } from "@effect/vitest"
import { addHeader, headerIndex } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { locatorOf } from "../../../src/p2p/sync/headers/locator.ts"
import { GENESIS_HASH, hashOf, minedChain, REGTEST } from "./chain-model.ts"

const HEIGHT = 1_200

const nodes = (): ReadonlyArray<HeaderIndexNode> => {
  const tree = headerIndex(REGTEST.genesisBlock.subarray(0, 80), GENESIS_HASH)
  const chain = [tree.tip]
  for (const header of minedChain(HEIGHT)) chain.push(addHeader(tree, chain.at(-1)!, header.bytes, hashOf(header)))
  return chain
}

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString("hex")

describe("a locator", () => {
  const chain = nodes()
  const heights = new Map(chain.map(({ hash, height }) => [hex(hash), height]))
  const heightsOf = (height: number): ReadonlyArray<number> =>
    locatorOf(chain[height]!).map((hash) => heights.get(hex(hash))!)

  it("names the last eleven blocks, then each step is twice the one before, and genesis ends it", () => {
    assert.deepStrictEqual(heightsOf(1_200), [
      1_200,
      1_199,
      1_198,
      1_197,
      1_196,
      1_195,
      1_194,
      1_193,
      1_192,
      1_191,
      1_190,
      1_189,
      1_187,
      1_183,
      1_175,
      1_159,
      1_127,
      1_063,
      935,
      679,
      167,
      0
    ])
  })

  it("of a short chain names every block once, genesis last", () => {
    assert.deepStrictEqual(heightsOf(0), [0])
    assert.deepStrictEqual(heightsOf(1), [1, 0])
    assert.deepStrictEqual(heightsOf(11), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    assert.deepStrictEqual(heightsOf(12), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    assert.deepStrictEqual(heightsOf(14), [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 1, 0])
  })

  it("of a chain of any length has no more hashes than the 101 that a message may have", () => {
    for (let height = 0; height <= HEIGHT; height += 7) {
      assert.isAtMost(heightsOf(height).length, 12 + Math.ceil(Math.log2(height + 2)))
    }
  })
})
