import { digest, hashInto } from "@chainsafe/as-sha256"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { getHashes, hash } from "node:crypto"
import type { Hashes } from "./hashes.ts"

/**
 * Two blocks of SHA-256: up to here the WebAssembly hash, which saves a call into Node.js, is not slower than
 * `node:crypto`.
 */
const SHORT = 119

/** A plain array: what `node:crypto` returns is a Buffer, whose `slice` shares memory instead of copying. */
const plain = (bytes: Buffer): Uint8Array => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)

const sha256 = (data: Uint8Array): Uint8Array =>
  data.length <= SHORT ? digest(data) : plain(hash("sha256", data, "buffer"))

const sha256dPairs = (pairs: Uint8Array): Uint8Array => {
  const parents = new Uint8Array(pairs.length >> 1)
  hashInto(pairs, parents)
  for (let at = 0; at < parents.length; at += 32) parents.set(digest(parents.subarray(at, at + 32)), at)
  return parents
}

/** OpenSSL 3 builds may leave RIPEMD-160 out. */
const ripemd160 = getHashes().includes("ripemd160")
  ? (data: Uint8Array): Uint8Array => plain(hash("ripemd160", data, "buffer"))
  : nobleCrypto.ripemd160

/** Hashes by `node:crypto`, with batched WebAssembly where inputs are short. */
export const nodeCryptoHashes: Hashes = {
  sha256,
  sha256d: (data) => digest(sha256(data)),
  ripemd160,
  sha1: (data) => plain(hash("sha1", data, "buffer")),
  hash160: (data) => ripemd160(sha256(data)),
  sha256dPairs
}
