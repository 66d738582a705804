import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import type { SecretKey } from "./key-text.ts"

const MAGIC = "Bitcoin Signed Message:\n"

/** Base of a signature's first byte. It is added to the number of the matching key, and to 4 for a compressed one. */
const FIRST = 27
const COMPRESSED = 4

const sized = (text: string): Uint8Array => {
  const bytes = Buffer.from(text)
  return concatBytes([encodeCompactSize(bytes.length), bytes])
}

const digestOf = (message: string, crypto: Crypto): Uint8Array =>
  crypto.sha256d(concatBytes([sized(MAGIC), sized(message)]))

/** Signs a message. The signature has 65 bytes, from which the key can be recovered. */
export const signMessage = (message: string, { compressed, secret }: SecretKey, crypto: Crypto): Uint8Array => {
  const signature = secp256k1.sign(digestOf(message, crypto), secret, { prehash: false, format: "recovered" })
  signature[0]! += FIRST + (compressed ? COMPRESSED : 0)
  return signature
}

/** Recovers the key that signed a message. Returns `undefined` if no key did. */
export const signerOf = (message: string, signature: Uint8Array, crypto: Crypto): Uint8Array | undefined => {
  if (signature.length !== 65) return undefined
  const flags = signature[0]! - FIRST
  const recoverable = Uint8Array.of(flags & 3, ...signature.subarray(1))
  try {
    const key = secp256k1.recoverPublicKey(recoverable, digestOf(message, crypto), { prehash: false })
    return secp256k1.Point.fromBytes(key).toBytes((flags & COMPRESSED) !== 0)
  } catch {
    return undefined
  }
}
