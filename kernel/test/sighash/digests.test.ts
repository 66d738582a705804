import { assert, describe, it } from "vitest"
import { createScratch } from "../../src/bytes/scratch.ts"
import { nobleCrypto, spendDigests } from "../../src/index.ts"
import { legacySighash } from "../../src/sighash/legacy.ts"
import { taprootSighash } from "../../src/sighash/taproot.ts"
import { witnessV0Sighash } from "../../src/sighash/witness-v0.ts"
import { SPENDS, spendOf } from "../signing.ts"

const HASH_TYPES = [0, 1, 2, 3, 0x81, 0x82, 0x83]
const NO_EXTENSION = { annexHash: new Uint8Array(0), leafHash: new Uint8Array(0), separatorInstruction: 0xffffffff }

describe("spendDigests", () => {
  it("has only the parts that an input can ask for", () => {
    const parts = (name: string): ReadonlyArray<string> => {
      const { spentOutputs, tx } = spendOf(SPENDS[name]!)
      return Object.keys(spendDigests(tx, spentOutputs, nobleCrypto))
    }
    assert.deepStrictEqual(parts("public key hash"), ["legacy"])
    assert.deepStrictEqual(parts("witness public key hash"), ["witnessV0"])
    assert.deepStrictEqual(parts("taproot"), ["taproot"])
  })

  it.each(HASH_TYPES)("leaves the hashes for hash type %i what they are without it", (hashType) => {
    for (const arriving of Object.values(SPENDS)) {
      const { digests, spentOutputs, tx } = spendOf(arriving)
      const { script, value } = spentOutputs[0]!
      assert.deepStrictEqual(
        legacySighash(tx, 0, script, hashType, digests, nobleCrypto),
        legacySighash(tx, 0, script, hashType, {}, nobleCrypto)
      )
      assert.deepStrictEqual(
        witnessV0Sighash(tx, 0, script, value, hashType, digests, nobleCrypto),
        witnessV0Sighash(tx, 0, script, value, hashType, {}, nobleCrypto)
      )
      assert.deepStrictEqual(
        taprootSighash(tx, 0, spentOutputs, hashType, NO_EXTENSION, digests, nobleCrypto),
        taprootSighash(tx, 0, spentOutputs, hashType, NO_EXTENSION, {}, nobleCrypto)
      )
    }
  })

  it("is not written to by any hash", () => {
    const { digests, spentOutputs, tx } = spendOf(SPENDS["public key hash"]!)
    const before = [digests.legacy!.inputs.toString(), digests.legacy!.outputs.toString()]
    for (const hashType of HASH_TYPES) legacySighash(tx, 0, spentOutputs[0]!.script, hashType, digests, nobleCrypto)
    assert.deepStrictEqual([digests.legacy!.inputs.toString(), digests.legacy!.outputs.toString()], before)
  })

  it("and every hash are the same in scratch memory that other messages were in", () => {
    const scratch = createScratch()
    for (const arriving of Object.values(SPENDS)) {
      const { spentOutputs, tx } = spendOf(arriving)
      const { script, value } = spentOutputs[0]!
      const digests = spendDigests(tx, spentOutputs, nobleCrypto)
      assert.deepStrictEqual(spendDigests(tx, spentOutputs, nobleCrypto, scratch), digests)
      for (const hashType of HASH_TYPES) {
        const hashes = (memory?: typeof scratch): ReadonlyArray<unknown> => [
          legacySighash(tx, 0, script, hashType, {}, nobleCrypto, memory),
          legacySighash(tx, 0, script, hashType, digests, nobleCrypto, memory),
          witnessV0Sighash(tx, 0, script, value, hashType, {}, nobleCrypto, memory),
          witnessV0Sighash(tx, 0, script, value, hashType, digests, nobleCrypto, memory),
          taprootSighash(tx, 0, spentOutputs, hashType, NO_EXTENSION, {}, nobleCrypto, memory),
          taprootSighash(tx, 0, spentOutputs, hashType, NO_EXTENSION, digests, nobleCrypto, memory)
        ]
        assert.deepStrictEqual(hashes(scratch), hashes())
      }
    }
  })
})
