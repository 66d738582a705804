import { assert, describe, it } from "vitest"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import * as Result from "effect/Result"
import { scriptsAt } from "../src/descriptor/descriptor.ts"
import { base58CheckText } from "../src/script-text/base58-bytes.ts"
import { parseDescriptor } from "../src/descriptor/parse-descriptor.ts"
import { addDescribed, emptyProvider, ofHalf } from "../src/psbt/sign/signing-provider.ts"

/** The first private key from 1 on whose public key has an odd y. */
const SECRET = Uint8Array.of(...new Uint8Array(31), 6)
const WIF = base58CheckText(Uint8Array.of(0xef, ...SECRET, 1))
const ODD = "03fff97bd5755eeea420453a14355235d382f6472f8568a18b2f057a1460297556"
const X = ODD.slice(2)
const OTHER = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

const bytes = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, "hex"))

const providerOf = (...descriptors: ReadonlyArray<string>) => {
  const provider = emptyProvider()
  for (const text of descriptors) {
    const [expression] = Result.getOrThrow(parseDescriptor(text, NETWORKS.regtest))
    const [script] = scriptsAt(expression!, 0, { network: NETWORKS.regtest, crypto: nobleCrypto })!
    addDescribed(provider, script!, { secrets: false, origins: false }, nobleCrypto)
  }
  return provider
}

describe("what descriptors provide to signers", () => {
  it("is the private key of an x-only key that another descriptor has with an odd y", () => {
    const { secrets } = providerOf(`tr(${OTHER},pk(${X}))`, `wpkh(${WIF})`)
    assert.deepStrictEqual(ofHalf(secrets, bytes(X), nobleCrypto)?.secret, SECRET)
    assert.isUndefined(ofHalf(secrets, bytes(OTHER), nobleCrypto))
  })

  it("is the first of two origins of a key, and that of the even y before that of the odd one", () => {
    const fingerprintOf = (...descriptors: ReadonlyArray<string>): string =>
      hexOf(ofHalf(providerOf(...descriptors).origins, bytes(X), nobleCrypto)!.fingerprint)
    const [a, b] = [`wpkh([aaaaaaaa]${ODD})`, `pkh([bbbbbbbb]${ODD})`]
    assert.strictEqual(fingerprintOf(a, b), "aaaaaaaa")
    assert.strictEqual(fingerprintOf(b, a), "bbbbbbbb")
    assert.strictEqual(fingerprintOf(a, `tr([cccccccc]${X})`), "cccccccc")
  })

  it("is the key behind a hash only of what may hold the hash", () => {
    const isKnown = (descriptor: string): boolean =>
      providerOf(descriptor).hashed.has(hexOf(nobleCrypto.hash160(bytes(ODD))))
    for (const form of ["pkh(K)", "wpkh(K)", "sh(wpkh(K))", "wsh(and_v(v:pk(K),older(1)))"]) {
      assert.isTrue(isKnown(form.replace("K", ODD)), form)
    }
    for (const form of ["pk(K)", "multi(1,K)", "wsh(multi(1,K))"]) assert.isFalse(isKnown(form.replace("K", ODD)), form)
    const half = providerOf(`tr(${OTHER},{pkh(${X}),pk(${OTHER})})`).hashed
    assert.isTrue(half.has(hexOf(nobleCrypto.hash160(bytes(X)))))
  })

  it("is a tree from its last leaf to its first", () => {
    const { taproot } = providerOf(`tr(${OTHER},{pk(${X}),{pk(${OTHER}),multi_a(1,${X})}})`)
    const { tree } = taproot.values().next().value!
    const leaves = tree.map(({ depth, script }) => [depth, hexOf(script)])
    assert.deepStrictEqual(leaves, [[2, `20${X}ac519c`], [2, `20${OTHER}ac`], [1, `20${X}ac`]])
  })
})
