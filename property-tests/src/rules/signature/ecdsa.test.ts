import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { parseLaxDer, signatureIsStrictDer } from "@lockstep/kernel/internal/signature/der.ts"
import { ecdsaVerifies } from "@lockstep/kernel/internal/signature/ecdsa.ts"
import { ecdsaPublicKey } from "@lockstep/kernel/internal/signature/public-key.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { flagSet } from "../../arbitraries/flags.ts"
import { keyPair, publicKeyEncoding } from "../../arbitraries/key.ts"
import {
  berOf,
  derDeviation,
  derOf,
  signatureEncoding,
  signatureNumber,
  signatureWithHashType
} from "../../arbitraries/signature.ts"
import { ecdsaOf } from "../../arbitraries/signer.ts"
import { check } from "../../check.ts"
import { bigEndian, join } from "../../oracles/byte-string.ts"
import { GROUP_ORDER } from "../../oracles/curve.ts"
import * as der from "../../oracles/der.ts"
import { laxEcdsaVerifies } from "../../oracles/signature.ts"
import { faultName, flagBits } from "../../subject/kernel.ts"

const digest = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  fc.constantFrom(0n, 1n, GROUP_ORDER, (1n << 256n) - 1n).map((n) => bigEndian(n, 32))
)

/** A digest with a signature of it, by either s, in any of the encodings an old parser reads, and a form of the key. */
const signedDigest: Arbitrary<readonly [Uint8Array, Uint8Array, Uint8Array]> = fc
  .tuple(digest, keyPair, fc.boolean(), fc.option(derDeviation, { nil: undefined }), fc.nat(2))
  .map(([hash, pair, high, how, form]) => {
    const { r, s } = ecdsaOf(hash, pair.secret)
    const shown = high ? GROUP_ORDER - s : s
    return [
      how ? berOf(r, shown, how) : derOf(r, shown),
      [pair.compressed, pair.uncompressed, pair.hybrid][form]!,
      hash
    ]
  })

const anyTriple = fc.oneof(
  { weight: 4, arbitrary: signedDigest },
  {
    weight: 1,
    arbitrary: fc.tuple(signedDigest, publicKeyEncoding).map(([[signature, , hash], key]) =>
      [signature, key, hash] as const
    )
  },
  {
    weight: 1,
    arbitrary: fc.tuple(signedDigest, digest).map(([[signature, key], hash]) => [signature, key, hash] as const)
  },
  { weight: 1, arbitrary: fc.tuple(signatureEncoding, publicKeyEncoding, digest) }
)

describe("SIG ECDSA", () => {
  it("SIG-001/P1 the verdict equals the statement", () => {
    check(
      fc.property(signatureWithHashType, flagSet, (signature, flags) => {
        const judged = ["DERSIG", "LOW_S", "STRICTENC"].some((flag) => flags.has(flag))
        const holds = signature.length === 0 || !judged || der.isStrictDer(signature)
        agree(faultName(signatureIsStrictDer(signature, flagBits(flags))), holds ? "OK" : "SIG-001 SIG_DER")
      }),
      1000
    )
  })

  it("SIG-002/P1 the value equals the statement", () => {
    check(
      fc.property(signatureEncoding, (signature) => agree(parseLaxDer(signature), der.parseLax(signature))),
      2000
    )
  })

  it("SIG-002/P2 what is strict is read as its two integers, or as zeros beyond the group order", () => {
    check(
      fc.property(signatureNumber, signatureNumber, (r, s) => {
        const signature = derOf(r, s)
        if (!der.isStrictDer(join(signature, [1]))) return
        const fits = r < GROUP_ORDER && s < GROUP_ORDER
        agree(parseLaxDer(signature), fits ? join(bigEndian(r, 32), bigEndian(s, 32)) : new Uint8Array(64))
      }),
      400
    )
  })

  it("SIG-003/P1 the value equals the statement", () => {
    check(
      fc.property(publicKeyEncoding, (key) => {
        const compressed = key.length === 33 && (key[0] === 2 || key[0] === 3)
        const plain = key.length === 65 && key[0] === 4
        const hybrid = key.length === 65 && key[0] === 6 + (key[64]! % 2)
        agree(ecdsaPublicKey(key), compressed || plain ? key : hybrid ? join([4], key.subarray(1)) : undefined)
      }),
      600
    )
  })

  it("SIG-003/P2 the form of a form is the form itself", () => {
    check(
      fc.property(publicKeyEncoding, (key) => {
        const form = ecdsaPublicKey(key)
        if (form !== undefined) agree(ecdsaPublicKey(form), form)
      })
    )
  })

  it("SIG-004/P1 the value equals the statement", () => {
    check(
      fc.property(
        anyTriple,
        ([signature, key, hash]) =>
          agree(ecdsaVerifies(nobleCrypto, signature, key, hash), laxEcdsaVerifies(signature, key, hash))
      ),
      250
    )
  })

  it("SIG-004/P2 s and its negative verify alike", () => {
    check(
      fc.property(
        fc.oneof(
          digest.chain((hash) => keyPair.map((pair) => [ecdsaOf(hash, pair.secret), pair, hash] as const)),
          fc.tuple(fc.record({ r: signatureNumber, s: signatureNumber }), keyPair, digest)
        ),
        ([{ r, s }, pair, hash]) => {
          if (s <= 0n || s >= GROUP_ORDER) return
          const verifies = (value: bigint): boolean =>
            ecdsaVerifies(nobleCrypto, derOf(r, value), pair.compressed, hash)
          agree(verifies(s), verifies(GROUP_ORDER - s))
        }
      ),
      80
    )
  })
})
