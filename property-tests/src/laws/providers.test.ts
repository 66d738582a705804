import { type AvailableProvider, detectProviders } from "@lockstep/crypto/index.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { createMachine } from "@lockstep/kernel/internal/machine/machine.ts"
import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../agree.ts"
import { anySpend } from "../arbitraries/doubtful-spend.ts"
import { edgeBytes } from "../arbitraries/bytes.ts"
import { flagSet } from "../arbitraries/flags.ts"
import { keyPair, publicKeyEncoding, xOnlyKey } from "../arbitraries/key.ts"
import { signatureNumber } from "../arbitraries/signature.ts"
import { ecdsaOf, schnorrOf } from "../arbitraries/signer.ts"
import { revealedLeaf } from "../arbitraries/taproot.ts"
import { check } from "../check.ts"
import { bigEndian, join } from "../oracles/byte-string.ts"
import { taggedHash } from "../oracles/hash.ts"
import { kernelVerdict } from "../subject/kernel.ts"

const PROVIDERS = detectProviders().filter((provider): provider is AvailableProvider => provider.available)

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const half = fc.oneof(
  signatureNumber.filter((n) => n < 1n << 256n).map((n) => bigEndian(n, 32)),
  bytes32
)
const ecdsaCase = fc.tuple(keyPair, bytes32, half, publicKeyEncoding, fc.nat(4)).map(
  ([pair, digest, other, key, kind]) => {
    const { r, s } = ecdsaOf(digest, pair.secret)
    const [rBytes, sBytes] = [bigEndian(r, 32), bigEndian(s, 32)]
    const signature = join(kind === 1 ? other : rBytes, kind === 2 ? other : sBytes)
    // The seam promises s in its lower half and a key of 33 or 65 bytes in plain form, no more.
    const fits = (key.length === 33 && (key[0] === 2 || key[0] === 3)) || (key.length === 65 && key[0] === 4)
    const plain = kind === 4 ? pair.uncompressed : pair.compressed
    return [signature, kind === 3 && fits ? key : plain, digest] as const
  }
)
const schnorrCase = fc.tuple(keyPair, bytes32, half, xOnlyKey, fc.nat(3)).map(([pair, digest, other, key, kind]) => {
  const signature = schnorrOf(digest, pair.secret)
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)]
  return [join(kind === 1 ? other : r, kind === 2 ? other : s), kind === 3 ? key : pair.xOnly, digest] as const
})
const tweakCase = fc.tuple(revealedLeaf, half, xOnlyKey, fc.nat(3), fc.nat(1)).map(
  ([leaf, other, key, kind, parity]) => {
    const internal = leaf.control.subarray(1, 33)
    const tweak = taggedHash("TapTweak", internal, leaf.root)
    return [kind === 1 ? key : internal, kind === 2 ? other : tweak, kind === 3 ? key : leaf.program, parity] as const
  }
)
const isLowS = (signature: Uint8Array): boolean => signature[32]! < 0x7f

describe.each(PROVIDERS)("law: the crypto provider $name agrees with the reference", ({ crypto }) => {
  it("on hashes", () => {
    check(
      fc.property(fc.oneof(edgeBytes(), fc.uint8Array({ maxLength: 200 })), (data) => {
        for (const hash of ["sha256", "sha256d", "ripemd160", "sha1", "hash160"] as const) {
          agree(crypto[hash](data), nobleCrypto[hash](data))
        }
      })
    )
    check(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(255), (pairs, first) => {
        const level = new Uint8Array(64 * pairs).map((_, i) => (i * 31 + first) & 255)
        agree(crypto.sha256dPairs(level), nobleCrypto.sha256dPairs(level))
      }),
      50
    )
  })

  it("on ECDSA, Schnorr and tweaks, valid and not", () => {
    check(
      fc.property(ecdsaCase, ([signature, key, digest]) => {
        if (isLowS(signature)) {
          agree(crypto.ecdsaVerify(signature, key, digest), nobleCrypto.ecdsaVerify(signature, key, digest))
        }
      }),
      150
    )
    check(
      fc.property(
        schnorrCase,
        ([signature, key, digest]) =>
          agree(crypto.schnorrVerify(signature, key, digest), nobleCrypto.schnorrVerify(signature, key, digest))
      ),
      150
    )
    check(
      fc.property(tweakCase, ([internal, tweak, output, parity]) =>
        agree(
          crypto.taprootTweakMatches(internal, tweak, output, parity),
          nobleCrypto.taprootTweakMatches(internal, tweak, output, parity)
        )),
      100
    )
  })

  it("on the verdict of any spend", () => {
    const m = createMachine(crypto)
    check(
      fc.property(anySpend, flagSet, (frame, flags) => {
        const spend = { ...frame, flags }
        agree(kernelVerdict(spend, m), kernelVerdict(spend))
      }),
      200
    )
  })
})
