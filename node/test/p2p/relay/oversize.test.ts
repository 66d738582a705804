import { assert, describe, it } from "@effect/vitest"
import { oversizeReason } from "../../../src/p2p/relay/oversize.ts"
import { scanTransaction } from "../../../src/p2p/relay/scan-transaction.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { unconfirmedTransaction } from "./pool-transaction.ts"

const withWitness = (bytes: number) => scanTransaction(unconfirmedTransaction(1, undefined, bytes), testCrypto)!

/** A transaction without witness, of exactly so many bytes: one input whose script fills it. */
const plain = (bytes: number) => {
  const rest = 4 + 1 + 36 + 5 + 4 + 1 + 9 + 4
  const script = new Uint8Array(bytes - rest)
  const length = new Uint8Array([0xfe, ...new Uint8Array(new Uint32Array([script.length]).buffer)])
  const parts = [
    Uint8Array.of(2, 0, 0, 0, 1),
    new Uint8Array(36),
    length,
    script,
    Uint8Array.of(255, 255, 255, 255, 1),
    new Uint8Array(9),
    new Uint8Array(4)
  ]
  return scanTransaction(Buffer.concat(parts), testCrypto)!
}

describe("the reject reason of a transaction for its size alone", () => {
  it("is tx-size above 400,000 weight units, and none where transactions need not be standard", () => {
    const empty = withWitness(65_536).weight - 65_536
    assert.isUndefined(oversizeReason(withWitness(400_000 - empty), false))
    assert.strictEqual(oversizeReason(withWitness(400_001 - empty), false), "tx-size")
    assert.isUndefined(oversizeReason(withWitness(400_001 - empty), true))
    assert.isUndefined(oversizeReason(withWitness(3_500_000), true))
  })

  it("is bad-txns-oversize above 1,000,000 bytes without witness, whatever is standard", () => {
    for (const takesNonStandard of [false, true]) {
      assert.strictEqual(oversizeReason(plain(1_000_001), takesNonStandard), "bad-txns-oversize")
    }
    assert.strictEqual(plain(1_000_000).weight, 4_000_000)
    assert.isUndefined(oversizeReason(plain(1_000_000), true))
    assert.strictEqual(oversizeReason(plain(1_000_000), false), "tx-size")
  })
})
