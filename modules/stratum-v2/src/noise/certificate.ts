import { schnorr } from "@noble/curves/secp256k1.js"
import { createBase58check } from "@scure/base"
import { hash } from "node:crypto"

/** Bytes of a certificate as the handshake carries it: version, validity, signature. */
export const CERTIFICATE_BYTES = 74

const VERSION = 0
const SIGNED_BYTES = 10

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(hash("sha256", bytes, "buffer"))

const digest = (head: Uint8Array, serverKey: Uint8Array): Uint8Array => sha256(Buffer.concat([head, serverKey]))

/** Signs a certificate of a server's key (its x) by an authority, with its validity in Unix seconds. */
export const signedCertificate = (
  authoritySecret: Uint8Array,
  serverKey: Uint8Array,
  { from, until }: { readonly from: number; readonly until: number }
): Buffer => {
  const head = Buffer.alloc(SIGNED_BYTES)
  head.writeUInt16LE(VERSION, 0)
  head.writeUInt32LE(from, 2)
  head.writeUInt32LE(until, 6)
  return Buffer.concat([head, schnorr.sign(digest(head, serverKey), authoritySecret)])
}

/** Reports whether an authority certifies a server's key at a time. */
export const isCertified = (
  certificate: Uint8Array,
  serverKey: Uint8Array,
  authorityKey: Uint8Array,
  now: number
): boolean => {
  const bytes = Buffer.from(certificate)
  if (bytes.length !== CERTIFICATE_BYTES || bytes.readUInt16LE(0) !== VERSION) return false
  if (now < bytes.readUInt32LE(2) || now > bytes.readUInt32LE(6)) return false
  return schnorr.verify(bytes.subarray(SIGNED_BYTES), digest(bytes.subarray(0, SIGNED_BYTES), serverKey), authorityKey)
}

/** Formats the key of an authority as in URLs of Stratum V2. */
export const authorityText = (key: Uint8Array): string =>
  createBase58check(sha256).encode(new Uint8Array(Buffer.concat([Buffer.of(1, 0), key])))

/** Returns the public key of an authority, its x. */
export const authorityKeyOf = (secret: Uint8Array): Uint8Array => schnorr.getPublicKey(secret)
