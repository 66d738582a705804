import type { Crypto } from "@lockstep/kernel/crypto"
import { assert, describe, it } from "vitest"
import { wholeBlock, wholeBlocks } from "../../../src/storage/block-files/whole-block.ts"
import { type Planned, plantOn, plantedRoot } from "../../engine/planted-blocks.ts"
import { testCrypto } from "../../engine/test-engine.ts"

/** Blocks of regtest, whose coinbase has a witness that the block commits to. */
const first = plantOn(plantedRoot(), 1)
const second = plantOn(first.node, 2)

const changed = ({ bytes }: Planned, at: number): Uint8Array => {
  const other = bytes.slice()
  other.set([other.at(at)! ^ 1], at < 0 ? other.length + at : at)
  return other
}

/** In a block of one transaction: the nonce of the header, its merkle root, the version of the coinbase, its witness. */
const PLACES = [76, 40, 81, -10]

describe("a whole block", () => {
  it("is one whose every bit its hash commits to", () => {
    const { bytes, node: { hash } } = first
    assert.deepStrictEqual(wholeBlock(bytes, hash, testCrypto)?.bytes, bytes)
    for (const at of PLACES) assert.isUndefined(wholeBlock(changed(first, at), hash, testCrypto), `byte ${at}`)
    assert.isUndefined(wholeBlock(bytes, second.node.hash, testCrypto))
    assert.isUndefined(wholeBlock(bytes.subarray(0, -1), hash, testCrypto))
  })
})

/** Counts what is hashed twice, which only a block that is not known needs. */
const counting = () => {
  let count = 0
  const crypto: Crypto = {
    ...testCrypto,
    sha256d: (bytes) => {
      count++
      return testCrypto.sha256d(bytes)
    }
  }
  return {
    crypto,
    hashed: (run: () => unknown): boolean => {
      const before = count
      run()
      return count > before
    }
  }
}

describe("whole blocks that are remembered", () => {
  it("are the same again, and damaged ones are found as before", () => {
    const { crypto, hashed } = counting()
    const known = wholeBlocks(crypto)
    const { bytes, node: { hash } } = first
    for (const isKnown of [false, true]) {
      assert.strictEqual(hashed(() => assert.deepStrictEqual(known.block(bytes, hash)?.bytes, bytes)), !isKnown)
      assert.isTrue(known.isWhole(bytes, hash))
      assert.isFalse(hashed(() => known.isWhole(bytes, hash)))
      for (const at of PLACES) {
        assert.isUndefined(known.block(changed(first, at), hash))
        assert.isFalse(known.isWhole(changed(first, at), hash))
      }
      assert.isUndefined(known.block(bytes, second.node.hash))
      assert.isFalse(known.isWhole(bytes, second.node.hash))
    }
    assert.isTrue(known.isWhole(second.bytes, second.node.hash))
    assert.isFalse(hashed(() => assert.isDefined(known.block(second.bytes, second.node.hash))))
  })

  it("are as many as fit; the one that came first is forgotten", () => {
    const { crypto, hashed } = counting()
    const known = wholeBlocks(crypto, 1)
    const lookAt = ({ bytes, node: { hash } }: Planned): boolean =>
      hashed(() => assert.isTrue(known.isWhole(bytes, hash)))
    assert.deepStrictEqual([first, first, second, second, first].map(lookAt), [true, false, true, false, true])
  })
})
