import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { getPublicKey, hashes, schnorr, sign } from "@noble/secp256k1"
import * as Result from "effect/Result"
import { concatBytes } from "../src/bytes/equal.ts"
import {
  CONSENSUS_FLAGS,
  decodeTransaction,
  nobleCrypto,
  type Spend,
  spendDigests,
  type SpentOutputs,
  type Transaction
} from "../src/index.ts"
import { legacySighash } from "../src/sighash/legacy.ts"
import { taprootSighash } from "../src/sighash/taproot.ts"
import { witnessV0Sighash } from "../src/sighash/witness-v0.ts"

hashes.sha256 = (message) => new Uint8Array(sha256(message))
hashes.hmacSha256 = (key, message) => new Uint8Array(hmac(sha256, key, message))

const SECRET = new Uint8Array(32).fill(7)
const EMPTY = new Uint8Array(0)

/** Public keys of the one secret: compressed, and in the hybrid form that repeats the parity of y. */
export const COMPRESSED_KEY = getPublicKey(SECRET, true)
export const HYBRID_KEY = ((): Uint8Array => {
  const key = getPublicKey(SECRET, false)
  key[0] = 6 + (key[64]! & 1)
  return key
})()

const sized = (bytes: Uint8Array): Uint8Array => concatBytes([Uint8Array.of(bytes.length), bytes])

/** A serialized transaction of one input and one output; with a witness in the form that has one. */
const serialized = (scriptSig: Uint8Array, witness: ReadonlyArray<Uint8Array>): Uint8Array => {
  const segwit = witness.length > 0
  return concatBytes([
    Uint8Array.of(2, 0, 0, 0),
    segwit ? Uint8Array.of(0, 1) : EMPTY,
    Uint8Array.of(1),
    new Uint8Array(32).fill(0xab),
    Uint8Array.of(3, 0, 0, 0),
    sized(scriptSig),
    Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 1, 0x10, 0x27, 0, 0, 0, 0, 0, 0, 1, 0x51),
    segwit ? concatBytes([Uint8Array.of(witness.length), ...witness.map(sized)]) : EMPTY,
    Uint8Array.of(0, 0, 0, 0)
  ])
}

/** A spend as it arrives: bytes and the outputs that they spend. */
export interface ArrivingSpend {
  readonly bytes: Uint8Array
  readonly spentOutputs: SpentOutputs
}

/** The transaction in `bytes`, which is one. */
export const transactionIn = (bytes: Uint8Array): Transaction => Result.getOrThrow(decodeTransaction(bytes))

/** What {@link ArrivingSpend} asks the kernel, under all consensus flags. */
export const spendOf = ({ bytes, spentOutputs }: ArrivingSpend): Spend => {
  const tx = transactionIn(bytes)
  return {
    tx,
    inputIndex: 0,
    spentOutputs,
    digests: spendDigests(tx, spentOutputs, nobleCrypto),
    flags: CONSENSUS_FLAGS
  }
}

const integer = (bytes: Uint8Array): Uint8Array => {
  const padded = bytes[0]! > 0x7f ? concatBytes([Uint8Array.of(0), bytes]) : bytes
  return concatBytes([Uint8Array.of(2), sized(padded)])
}

/** DER and the hash type ALL. The digest is one whose r and s start with no zero byte. */
const ecdsaSignature = (digest: Uint8Array): Uint8Array => {
  const compact = sign(digest, SECRET, { prehash: false })
  const body = concatBytes([integer(compact.subarray(0, 32)), integer(compact.subarray(32))])
  return concatBytes([Uint8Array.of(0x30), sized(body), Uint8Array.of(1)])
}

/** What is signed: signature hashes do not look at scriptSigs and witnesses. */
const UNSIGNED = transactionIn(serialized(EMPTY, []))

const keyHashScript = (key: Uint8Array): Uint8Array =>
  concatBytes([Uint8Array.of(118, 169), sized(nobleCrypto.hash160(key)), Uint8Array.of(136, 172)])

/** A public key hash spent with `key`, which may be hybrid. */
export const payToKeyHash = (key: Uint8Array): ArrivingSpend => {
  const script = keyHashScript(key)
  const digest = legacySighash(UNSIGNED, 0, script, 1, {}, nobleCrypto)
  const scriptSig = concatBytes([sized(ecdsaSignature(digest)), sized(key)])
  return { bytes: serialized(scriptSig, []), spentOutputs: [{ value: 20_000n, script }] }
}

/** A witness public key hash. */
export const payToWitnessKeyHash = (): ArrivingSpend => {
  const value = 20_000n
  const digest = witnessV0Sighash(UNSIGNED, 0, keyHashScript(COMPRESSED_KEY), value, 1, {}, nobleCrypto)
  const script = concatBytes([Uint8Array.of(0), sized(nobleCrypto.hash160(COMPRESSED_KEY))])
  return { bytes: serialized(EMPTY, [ecdsaSignature(digest), COMPRESSED_KEY]), spentOutputs: [{ value, script }] }
}

/** A taproot output spent by its key. */
export const payToTaproot = (): ArrivingSpend => {
  const spentOutputs = [{
    value: 20_000n,
    script: concatBytes([Uint8Array.of(81), sized(schnorr.getPublicKey(SECRET))])
  }]
  const keyPath = { annexHash: EMPTY, leafHash: EMPTY, separatorInstruction: 0xffffffff }
  const digest = taprootSighash(UNSIGNED, 0, spentOutputs, 0, keyPath, {}, nobleCrypto)!
  return { bytes: serialized(EMPTY, [schnorr.sign(digest, SECRET, new Uint8Array(32))]), spentOutputs }
}

/** One spend of each kind. */
export const SPENDS: Readonly<Record<string, ArrivingSpend>> = {
  "public key hash": payToKeyHash(COMPRESSED_KEY),
  "public key hash of a hybrid key": payToKeyHash(HYBRID_KEY),
  "witness public key hash": payToWitnessKeyHash(),
  taproot: payToTaproot()
}
