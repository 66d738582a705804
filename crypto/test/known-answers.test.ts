import { nobleCrypto } from "@lockstep/kernel/noble"
import { assert, describe, it } from "vitest"
import type { Hashes } from "../src/hash/hashes.ts"
import { nativeHashes } from "../src/hash/native-hashes.ts"
import { agreesOnEllSwift, agreesOnHashes } from "../src/known-answers.ts"
import { mappedEllSwift } from "../src/transport/mapped-ellswift.ts"
import { noblePoints } from "../src/transport/noble-points.ts"
import { ellSwiftProviders, fastestEllSwift } from "../src/transport/select-ellswift.ts"

const HASHES = ["sha256", "sha256d", "ripemd160", "sha1", "hash160", "sha256dPairs"] as const

const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, at) => at === 0 ? byte ^ 1 : byte)

describe("hashes whose answers are known beforehand", () => {
  it("are those of the reference", () => assert.isTrue(agreesOnHashes(nobleCrypto)))

  it.each(HASHES)("refuse a library whose %s has one wrong bit", (name) => {
    const wrong = (data: Uint8Array): Uint8Array => flipped(nobleCrypto[name](data))
    assert.isFalse(agreesOnHashes({ ...nobleCrypto, [name]: wrong } satisfies Hashes))
  })

  it.each([0, 3, 55, 56, 63, 64, 5_000])("refuse a library that is wrong for %i bytes alone", (size) => {
    const sha1 = (data: Uint8Array): Uint8Array => {
      const answer = nobleCrypto.sha1(data)
      return data.length === size ? flipped(answer) : answer
    }
    assert.isFalse(agreesOnHashes({ ...nobleCrypto, sha1 }))
  })

  it("are looked for once in a thread", () => assert.strictEqual(nativeHashes(), nativeHashes()))
})

describe("ElligatorSwift whose answers are known beforehand", () => {
  const reference = mappedEllSwift(noblePoints)

  it("is that of the reference", () => assert.isTrue(agreesOnEllSwift(reference)))

  it("refuses a library that encodes another key", () => {
    const encodePublicKey: typeof reference.encodePublicKey = (...of) => flipped(reference.encodePublicKey(...of))
    assert.isFalse(agreesOnEllSwift({ ...reference, encodePublicKey }))
  })

  it.each([true, false])("refuses a library with another secret where the node is the initiator: %s", (side) => {
    const sharedSecret: typeof reference.sharedSecret = (key, ours, theirs, isInitiator) => {
      const secret = reference.sharedSecret(key, ours, theirs, isInitiator)
      return isInitiator === side ? flipped(secret) : secret
    }
    assert.isFalse(agreesOnEllSwift({ ...reference, sharedSecret }))
  })

  it("is taken from the first of all libraries", () =>
    assert.strictEqual(fastestEllSwift().detail, ellSwiftProviders()[0]!.detail))
})
