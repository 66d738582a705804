import { assert, describe, it } from "@effect/vitest"
import { merkleRoot } from "@lockstep/kernel/block"
import {
  type Block,
  decodeBlock,
  type Transaction,
  transactionIds,
  transactionOf,
  witnessTransactionIds
} from "@lockstep/kernel/model"
import type { KnownIds } from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import * as Result from "effect/Result"
import { identified, identifiedWithRoots } from "../../src/engine/state/identified-block.ts"
import { testCrypto } from "./test-engine.ts"

const COMMITMENT = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed, ...new Uint8Array(32).fill(3))

const transaction = (tag: number, witness: ReadonlyArray<Uint8Array>, script = Uint8Array.of(0x51)): Transaction =>
  transactionOf({
    version: 2,
    inputs: [{
      prevout: { txid: new Uint8Array(32).fill(tag), vout: 0 },
      script: new Uint8Array(),
      sequence: 0,
      witness
    }],
    outputs: [{ value: 1n, script }],
    lockTime: 0
  })

const blockOf = (transactions: ReadonlyArray<Transaction>): Block =>
  Result.getOrThrow(decodeBlock(Buffer.concat([
    new Uint8Array(80).fill(9),
    Uint8Array.of(transactions.length),
    ...transactions.map(({ bytes }) => bytes)
  ])))

const NONCE = [new Uint8Array(32)]
/** What stands behind the coinbase: with a witness and without one. */
const OTHERS = [transaction(1, [Uint8Array.of(1)]), transaction(2, []), transaction(3, [Uint8Array.of(3)])]
const COMMITTING = blockOf([transaction(0, NONCE, COMMITMENT), ...OTHERS])

/** Nothing is known but the ids of one place, which are no transaction's. */
const knownAt = (place: number, count: number): KnownIds => {
  const has = new Uint8Array(count)
  has[place] = 1
  const all = (byte: number) => new Uint8Array(count * 32).fill(byte)
  return { has, transactionIds: all(7), witnessIds: all(8) }
}

const idAt = (ids: Uint8Array, place: number): Uint8Array => ids.slice(place * 32, place * 32 + 32)

describe("a block of which roots are computed once", () => {
  it("has the ids and the roots that its rules compute", () => {
    const { block, identity, witnessIds } = identifiedWithRoots(COMMITTING, testCrypto)
    const ids = transactionIds(COMMITTING, testCrypto)
    assert.deepStrictEqual(witnessIds, witnessTransactionIds(COMMITTING, testCrypto))
    assert.deepStrictEqual(identity, {
      ...identified(COMMITTING, testCrypto).identity,
      merkleRoot: merkleRoot(ids, testCrypto),
      witnessRoot: merkleRoot(witnessIds!, testCrypto)
    })
    assert.strictEqual(block, COMMITTING)
  })

  it("has no witness ids where its coinbase commits to none, or has no witness", () => {
    const commitments = [[NONCE, Uint8Array.of(0x51)], [[], COMMITMENT]] as const
    for (const [witness, script] of commitments) {
      const found = identifiedWithRoots(blockOf([transaction(0, witness, script), ...OTHERS]), testCrypto)
      assert.deepStrictEqual([found.witnessIds, found.identity.witnessRoot], [undefined, undefined])
    }
  })

  it("takes the ids that are known, and computes the others", () => {
    const whole = identifiedWithRoots(COMMITTING, testCrypto)
    for (const place of [1, 2, 3]) {
      const { identity, witnessIds } = identifiedWithRoots(COMMITTING, testCrypto, knownAt(place, 4))
      for (const at of [0, 1, 2, 3]) {
        const isKnown = at === place
        assert.deepStrictEqual(
          idAt(identity.transactionIds, at),
          isKnown ? new Uint8Array(32).fill(7) : idAt(whole.identity.transactionIds, at)
        )
        // Without a witness both are one.
        assert.deepStrictEqual(
          idAt(witnessIds!, at),
          isKnown ? new Uint8Array(32).fill(place === 2 ? 7 : 8) : idAt(whole.witnessIds!, at)
        )
      }
    }
  })
})
