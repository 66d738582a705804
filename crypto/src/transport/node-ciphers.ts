import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto"
import type { Ciphers } from "./ciphers.ts"

const TAG_SIZE = 16
const AUTHENTICATED = { authTagLength: TAG_SIZE }

const plain = (bytes: Buffer): Uint8Array => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)

/** OpenSSL's order: the block counter, then the nonce. */
const startOf = (nonce: Uint8Array, block: number): Uint8Array => {
  const start = Buffer.alloc(16)
  start.writeUInt32LE(block)
  start.set(nonce, 4)
  return start
}

/** The ciphers of OpenSSL, as Node.js has them. */
export const nodeCiphers: Ciphers = {
  // The copy of a short array lies in the heap, where it takes a tenth of what memory outside takes for it.
  deriveKey: (secret, salt, info) => new Uint8Array(new Uint8Array(hkdfSync("sha256", secret, salt, info, 32))),
  keystream: (key, nonce, block, length) =>
    plain(createCipheriv("chacha20", key, startOf(nonce, block)).update(new Uint8Array(length))),
  seal: (key, nonce, additional, parts) => {
    const cipher = createCipheriv("chacha20-poly1305", key, nonce, AUTHENTICATED)
    if (additional.length > 0) cipher.setAAD(additional, { plaintextLength: 0 })
    const sealed = parts.map((part) => plain(cipher.update(part)))
    cipher.final()
    return [...sealed, plain(cipher.getAuthTag())]
  },
  opener: (key, nonce, additional) => {
    const cipher = createDecipheriv("chacha20-poly1305", key, nonce, AUTHENTICATED)
    if (additional.length > 0) cipher.setAAD(additional, { plaintextLength: 0 })
    return {
      open: (sealed) => plain(cipher.update(sealed)),
      isAuthentic: (tag) => {
        try {
          cipher.setAuthTag(tag)
          cipher.final()
          return true
        } catch {
          return false
        }
      }
    }
  }
}
