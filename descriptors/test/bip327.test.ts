import { hexOf } from "@lockstep/protocol/hex.ts"
import { schnorr } from "@noble/curves/secp256k1.js"
import { nonceGen } from "@scure/btc-signer/musig2.js"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { musigKeyBytes } from "../src/descriptor/aggregate-key.ts"
import {
  type MusigMessage,
  musigNonce,
  musigNonces,
  musigPartialSignature,
  musigSession,
  musigSignature,
  nonceUse
} from "../src/signing/musig.ts"
import { testKey } from "./spend-of.ts"

interface Case {
  readonly keys: ReadonlyArray<number>
  readonly nonces: ReadonlyArray<number>
  readonly tweaks?: ReadonlyArray<number>
  readonly isXOnly?: ReadonlyArray<boolean>
  readonly message?: string
  readonly expected: string
  readonly partial: ReadonlyArray<number>
  readonly isUsed?: boolean
  readonly why: string
}

interface Group {
  readonly keys: ReadonlyArray<string>
  readonly nonces: ReadonlyArray<string>
  readonly tweaks: ReadonlyArray<string>
  readonly message: string
  readonly valid: ReadonlyArray<Case>
  readonly refused: ReadonlyArray<Case>
}

interface Vectors {
  readonly sign: Group & {
    readonly secret: string
    readonly secretNonce: string
    readonly usedNonce: string
    readonly wrongPartialSignatures: ReadonlyArray<{ readonly signature: string; readonly signer: number }>
  }
  readonly combine: Group & { readonly partialSignatures: ReadonlyArray<string> }
  readonly nonces: ReadonlyArray<
    Readonly<
      Record<"random" | "secret" | "key" | "aggregate" | "message" | "extra" | "secretNonce" | "nonce", string>
    >
  >
}

const VECTORS = JSON.parse(readFileSync(new URL("bip327.json", import.meta.url), "utf8")) as Vectors

const bytes = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, "hex"))

const messageOf = (group: Group, { isXOnly = [], keys, message, nonces, tweaks = [] }: Case) => ({
  key: {
    participants: keys.map((i) => bytes(group.keys[i]!)),
    tweaks: tweaks.map((tweak, i) => ({ tweak: bytes(group.tweaks[tweak]!), isXOnly: isXOnly[i]! }))
  },
  nonces: nonces.map((i) => bytes(group.nonces[i]!)),
  digest: bytes(message ?? group.message)
})

const signed = (message: MusigMessage, secret: Uint8Array, takeNonce: () => Uint8Array | undefined) => {
  const session = musigSession(message)
  return session && musigPartialSignature(session, secret, takeNonce)
}

const combined = (message: MusigMessage, partial: ReadonlyArray<Uint8Array>) => {
  const session = musigSession(message)
  const key = musigKeyBytes(message.key)
  return session && key &&
    musigSignature(session, partial, (signature) => schnorr.verify(signature, message.digest, key.subarray(1)))
}

describe("MuSig2 by the vectors of BIP327", () => {
  const { combine, sign } = VECTORS

  it.each(sign.valid)("a participant signs: $expected", (each) => {
    const nonce = bytes(sign.secretNonce)
    const signature = signed(messageOf(sign, each), bytes(sign.secret), () => nonce)
    assert.strictEqual(hexOf(signature!), each.expected.toLowerCase())
    assert.isTrue(nonce.every((byte) => byte === 0), "the secret nonce is gone")
  })

  it.each(sign.refused)("nothing is signed when $why", (each) => {
    const nonce = bytes(each.isUsed === true ? sign.usedNonce : sign.secretNonce)
    assert.isUndefined(signed(messageOf(sign, each), bytes(sign.secret), () => nonce))
  })

  it.each(sign.wrongPartialSignatures)("the partial signature $signature is wrong", ({ signature, signer }) => {
    const message = messageOf(sign, sign.valid[0]!)
    const partial = [0, 1, 2].map((i) => bytes(i === signer ? signature : sign.valid[0]!.expected))
    assert.isUndefined(combined(message, partial))
  })

  it.each(combine.valid)("partial signatures make the signature $expected", (each) => {
    const message = messageOf(combine, each)
    const signature = combined(message, each.partial.map((i) => bytes(combine.partialSignatures[i]!)))
    assert.strictEqual(hexOf(signature!), each.expected.toLowerCase())
    assert.isTrue(schnorr.verify(signature!, message.digest, musigKeyBytes(message.key)!.subarray(1)))
  })

  it.each(combine.refused)("partial signatures $partial of nonces $nonces make no signature", (each) => {
    const partial = each.partial.map((i) => bytes(combine.partialSignatures[i]!))
    assert.isUndefined(combined(messageOf(combine, each), partial))
  })

  it.each(VECTORS.nonces)("a nonce is made of randomness, keys and message: $nonce", (each) => {
    const { public: nonce, secret } = nonceGen(
      bytes(each.key),
      bytes(each.secret),
      bytes(each.aggregate),
      bytes(each.message),
      bytes(each.extra),
      bytes(each.random)
    )
    assert.deepStrictEqual(
      [hexOf(nonce), hexOf(secret)],
      [each.nonce.toLowerCase(), each.secretNonce.toLowerCase()]
    )
  })
})

describe("secret nonces of MuSig2", () => {
  const [a, b] = [testKey(1), testKey(2)]
  const key = { participants: [a.publicKey, b.publicKey], tweaks: [] }
  const bytesOfKey = musigKeyBytes(key)!
  const digest = new Uint8Array(32).fill(9)

  it("are another one each time for the same key and message", () => {
    const made = Array.from({ length: 20 }, () => hexOf(musigNonce(a.publicKey, a.secret, bytesOfKey, digest)!.public))
    assert.strictEqual(new Set(made).size, 20)
  })

  it("are given out once, for their own use alone, and the oldest is forgotten where there are too many", () => {
    const nonces = musigNonces(2)
    const uses = [1, 2, 3].map((number) => nonceUse(a.publicKey, b.publicKey, digest, Uint8Array.of(number)))
    const secrets = uses.map((use) => {
      const secret = new Uint8Array(97).fill(7)
      nonces.keep(use, secret)
      return secret
    })
    assert.deepStrictEqual(secrets[0], new Uint8Array(97))
    assert.isUndefined(nonces.take(uses[0]!))
    assert.strictEqual(nonces.take(uses[2]!), secrets[2])
    assert.isUndefined(nonces.take(uses[2]!))
    for (const other of [nonceUse(b.publicKey, b.publicKey, digest, Uint8Array.of(2)), `${uses[1]}00`]) {
      assert.isUndefined(nonces.take(other))
    }
    assert.strictEqual(nonces.take(uses[1]!), secrets[1])
  })

  it("stay where they are while what others have given is not valid", () => {
    const own = musigNonce(a.publicKey, a.secret, bytesOfKey, digest)!
    let taken = 0
    const message = { key, digest, nonces: [own.public, new Uint8Array(66)] }
    assert.isUndefined(signed(message, a.secret, () => (taken++, own.secret)))
    assert.strictEqual(taken, 0)
  })
})
