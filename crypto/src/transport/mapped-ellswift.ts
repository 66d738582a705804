import { nobleCrypto } from "@lockstep/kernel/noble"
import type { CurvePoints, EllSwift } from "./ellswift.ts"
import { reduced } from "./field.ts"
import { bytesOf, numberOf } from "./number-bytes.ts"
import { pairOfX, xOfPair } from "./swift-map.ts"

const { sha256 } = nobleCrypto

const tagged = (tag: string): Uint8Array => {
  const hash = sha256(Buffer.from(tag))
  return Buffer.concat([hash, hash])
}

const CREATE = tagged("secp256k1_ellswift_create")
const SECRET = tagged("bip324_ellswift_xonly_ecdh")
const ZEROS = new Uint8Array(32)

/** Pseudorandom blocks of 32 bytes, the same ones that libsecp256k1 draws from. */
const blocks = (privateKey: Uint8Array, entropy: Uint8Array): () => Uint8Array => {
  const seed = Buffer.concat([CREATE, privateKey, ZEROS, entropy, ZEROS.subarray(0, 4)])
  let count = 0
  return () => {
    seed.writeUInt32LE(count++, seed.length - 4)
    return sha256(seed)
  }
}

/** A fresh encoding of the point: pairs are drawn until one stands for it, a fourth of them does. */
const encode = (point: Uint8Array, next: () => Uint8Array): Uint8Array => {
  const x = numberOf(point.subarray(0, 32))
  for (;;) {
    const branches = next()
    for (let left = 63; left >= 0; left--) {
      const branch = branches[left >> 1]! >> ((left & 1) << 2) & 7
      const u = next()
      const t = pairOfX(x, reduced(numberOf(u)), branch)
      if (t === undefined) continue
      const isOdd = (point[63]! & 1) === 1
      const second = ((t & 1n) === 1n) === isOdd ? t : reduced(-t)
      return new Uint8Array(Buffer.concat([u, bytesOf(second)]))
    }
  }
}

/** The x that 64 bytes stand for. */
export const decodedX = (encoded: Uint8Array): Uint8Array =>
  bytesOf(xOfPair(numberOf(encoded.subarray(0, 32)), numberOf(encoded.subarray(32))))

/** ElligatorSwift with the mapping written out over a library's group arithmetic. It agrees with libsecp256k1 byte by byte. */
export const mappedEllSwift = ({ productX, publicKey }: CurvePoints): EllSwift => ({
  encodePublicKey: (privateKey, entropy) => encode(publicKey(privateKey), blocks(privateKey, entropy)),
  sharedSecret: (privateKey, ours, theirs, isInitiator) => {
    const [first, second] = isInitiator ? [ours, theirs] : [theirs, ours]
    return sha256(Buffer.concat([SECRET, first, second, productX(privateKey, decodedX(theirs))]))
  }
})
