import { createHash } from "node:crypto"
import { ascii, join } from "./byte-string.ts"

const digestBy = (algorithm: string) => (data: Uint8Array): Uint8Array =>
  Uint8Array.from(createHash(algorithm).update(data).digest())

export const sha256 = digestBy("sha256")
export const sha1 = digestBy("sha1")
export const ripemd160 = digestBy("ripemd160")
export const sha256d = (data: Uint8Array): Uint8Array => sha256(sha256(data))
export const hash160 = (data: Uint8Array): Uint8Array => ripemd160(sha256(data))

/** BIP340: SHA256(SHA256(tag) ‖ SHA256(tag) ‖ message). */
export const taggedHash = (tag: string, ...message: ReadonlyArray<Uint8Array>): Uint8Array =>
  sha256(join(sha256(ascii(tag)), sha256(ascii(tag)), ...message))
