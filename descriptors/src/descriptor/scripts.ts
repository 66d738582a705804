import { bytesEqual, compareBytes, concatBytes } from "@lockstep/kernel/bytes"
import { type Crypto, taggedHash } from "@lockstep/kernel/crypto"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { type Leaf, taprootTree } from "./taproot-tree.ts"

const Op = {
  PUSHDATA1: 0x4c,
  PUSHDATA2: 0x4d,
  OP_0: 0x00,
  OP_1: 0x51,
  DUP: 0x76,
  EQUAL: 0x87,
  EQUALVERIFY: 0x88,
  NUMEQUAL: 0x9c,
  HASH160: 0xa9,
  CHECKSIG: 0xac,
  CHECKMULTISIG: 0xae,
  CHECKSIGADD: 0xba
} as const

/** Returns the instruction that pushes data of up to 65,535 bytes, chosen by its length only. */
export const dataPush = (data: Uint8Array): Uint8Array => {
  if (data.length < Op.PUSHDATA1) return Uint8Array.of(data.length, ...data)
  return data.length < 256
    ? Uint8Array.of(Op.PUSHDATA1, data.length, ...data)
    : concatBytes([Uint8Array.of(Op.PUSHDATA2, data.length & 255, data.length >> 8), data])
}

const count = (number: number): Uint8Array => {
  if (number <= 16) return Uint8Array.of(number === 0 ? Op.OP_0 : Op.OP_1 + number - 1)
  return number < 128 ? Uint8Array.of(1, number) : Uint8Array.of(2, number & 255, number >> 8)
}

export const keyScript = (key: Uint8Array): Uint8Array => Uint8Array.of(...dataPush(key), Op.CHECKSIG)

export const keyHashScript = (key: Uint8Array, crypto: Crypto): Uint8Array =>
  Uint8Array.of(Op.DUP, Op.HASH160, 20, ...crypto.hash160(key), Op.EQUALVERIFY, Op.CHECKSIG)

export const witnessKeyHashScript = (key: Uint8Array, crypto: Crypto): Uint8Array =>
  Uint8Array.of(Op.OP_0, 20, ...crypto.hash160(key))

export const scriptHashScript = (script: Uint8Array, crypto: Crypto): Uint8Array =>
  Uint8Array.of(Op.HASH160, 20, ...crypto.hash160(script), Op.EQUAL)

export const witnessScriptHashScript = (script: Uint8Array, crypto: Crypto): Uint8Array =>
  Uint8Array.of(Op.OP_0, 32, ...crypto.sha256(script))

export const multisigScript = (required: number, keys: ReadonlyArray<Uint8Array>): Uint8Array =>
  concatBytes([count(required), ...keys.map(dataPush), count(keys.length), Uint8Array.of(Op.CHECKMULTISIG)])

/** Returns the multisig script of tapscript. The keys lack the byte for y. */
export const signatureSumScript = (required: number, keys: ReadonlyArray<Uint8Array>): Uint8Array =>
  concatBytes([
    ...keys.map((key, i) => Uint8Array.of(...dataPush(key), i === 0 ? Op.CHECKSIG : Op.CHECKSIGADD)),
    count(required),
    Uint8Array.of(Op.NUMEQUAL)
  ])

export const taprootScript = (outputKey: Uint8Array): Uint8Array => Uint8Array.of(Op.OP_1, 32, ...outputKey)

/** Returns the tweak of an internal key. */
export const taprootTweak = (internal: Uint8Array, leaves: ReadonlyArray<Leaf>, crypto: Crypto): Uint8Array =>
  taggedHash(
    crypto,
    "TapTweak",
    leaves.length === 0 ? internal : concatBytes([internal, taprootTree(leaves, crypto).root])
  )

/** Returns the output key of taproot: the internal key (32 bytes), tweaked by the hash of the scripts. */
export const taprootOutputKey = (internal: Uint8Array, leaves: ReadonlyArray<Leaf>, crypto: Crypto): Uint8Array => {
  const tweak = secp256k1.Point.Fn.fromBytes(taprootTweak(internal, leaves, crypto))
  const point = secp256k1.Point.fromBytes(Uint8Array.of(2, ...internal))
  return point.add(secp256k1.Point.BASE.multiply(tweak)).toBytes(true).subarray(1)
}

/** Returns the indexes of keys in the order that sorted multisig requires. */
export const placesInOrder = (keys: ReadonlyArray<Uint8Array>): ReadonlyArray<number> =>
  keys.map((_, i) => i).toSorted((a, b) => bytesEqual(keys[a]!, keys[b]!) ? a - b : compareBytes(keys[a]!, keys[b]!))
