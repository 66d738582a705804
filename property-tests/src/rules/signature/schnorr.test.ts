import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import {
  schnorrHashType,
  schnorrSignatureSize,
  schnorrSignatureVerifies
} from "@lockstep/kernel/internal/signature/schnorr.ts"
import { multisigDummyIsNull } from "@lockstep/kernel/internal/interpreter/op/multisig.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { edgeBytes } from "../../arbitraries/bytes.ts"
import { flagSet } from "../../arbitraries/flags.ts"
import { keyPair, xOnlyKey } from "../../arbitraries/key.ts"
import { hashTypeByte } from "../../arbitraries/signature.ts"
import { schnorrOf } from "../../arbitraries/signer.ts"
import { check } from "../../check.ts"
import { bigEndian, join } from "../../oracles/byte-string.ts"
import { FIELD_PRIME, GROUP_ORDER } from "../../oracles/curve.ts"
import { schnorrVerifies } from "../../oracles/signature.ts"
import { faultName, flagBits } from "../../subject/kernel.ts"

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const halves = fc.oneof(
  bytes32,
  fc
    .constantFrom(
      0n,
      1n,
      GROUP_ORDER - 1n,
      GROUP_ORDER,
      GROUP_ORDER + 1n,
      FIELD_PRIME - 1n,
      FIELD_PRIME,
      FIELD_PRIME + 1n
    )
    .map((n) => bigEndian(n, 32))
)

/** Valid triples, triples with one part of another, bytes at the edges. */
const anyTriple: Arbitrary<readonly [Uint8Array, Uint8Array, Uint8Array]> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(keyPair, bytes32).map(([pair, digest]) =>
      [schnorrOf(digest, pair.secret), pair.xOnly, digest] as const
    )
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(keyPair, xOnlyKey, bytes32)
      .map(([pair, key, digest]) => [schnorrOf(digest, pair.secret), key, digest] as const)
  },
  {
    weight: 2,
    arbitrary: fc.tuple(keyPair, halves, bytes32, fc.boolean()).map(([pair, half, digest, first]) => {
      const valid = schnorrOf(digest, pair.secret)
      return [first ? join(half, valid.subarray(32)) : join(valid.subarray(0, 32), half), pair.xOnly, digest] as const
    })
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.tuple(halves, halves).map(([r, s]) => join(r, s)),
      xOnlyKey,
      bytes32
    )
  }
)

describe("SIG Schnorr", () => {
  it("SIG-005/P1 the verdict equals the statement", () => {
    check(
      fc.property(edgeBytes(80), (signature) =>
        agree(
          faultName(schnorrSignatureSize(signature)),
          signature.length === 64 || signature.length === 65 ? "OK" : "SIG-005 SCHNORR_SIG_SIZE"
        ))
    )
  })

  it("SIG-006/P1 the verdict equals the statement", () => {
    check(
      fc.property(fc.option(hashTypeByte, { nil: undefined }), fc.nat(4), fc.nat(4), (explicit, outputs, index) => {
        const signature = join(new Uint8Array(64), explicit === undefined ? [] : [explicit])
        const type = explicit ?? 0
        const holds = explicit !== 0 && [0, 1, 2, 3, 0x81, 0x82, 0x83].includes(type) &&
          (type % 4 !== 3 || index < outputs)
        agree(faultName(schnorrHashType(signature, outputs, index)), holds ? "OK" : "SIG-006 SCHNORR_SIG_HASHTYPE")
      }),
      500
    )
  })

  it("SIG-007/P1 the verdict equals the statement; a 65th byte is no part of the signature", () => {
    check(
      fc.property(anyTriple, fc.boolean(), ([signature, key, digest], withType) =>
        agree(
          faultName(schnorrSignatureVerifies(nobleCrypto, withType ? join(signature, [1]) : signature, key, digest)),
          schnorrVerifies(signature, key, digest) ? "OK" : "SIG-007 SCHNORR_SIG"
        )),
      200
    )
  })

  it("SIG-008/P1 the verdict equals the statement", () => {
    check(
      fc.property(edgeBytes(3), flagSet, (dummy, flags) =>
        agree(
          faultName(multisigDummyIsNull(dummy, flagBits(flags))),
          flags.has("NULLDUMMY") && dummy.length > 0 ? "SIG-008 SIG_NULLDUMMY" : "OK"
        ))
    )
  })
})
