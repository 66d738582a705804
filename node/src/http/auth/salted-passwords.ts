import { createHmac, timingSafeEqual } from "node:crypto"
import { bytesOfText } from "../../bytes/byte-text.ts"
import type { SaltedPassword } from "../../config/config.ts"

const COLON = 0x3a

const hashOf = (salt: Buffer, password: Buffer): Buffer => createHmac("sha256", salt).update(password).digest()

/**
 * Returns a check of `name:password` against these users. It hashes and compares every entry, so its time reveals
 * nothing about names either.
 */
export const saltedPasswords = (users: ReadonlyArray<SaltedPassword>): (credentials: Buffer) => boolean => {
  const entries = users.map(({ hash, salt, user }) => ({
    user: bytesOfText(user),
    salt: bytesOfText(salt),
    hash: Buffer.from(hash, "hex")
  }))
  return (credentials) => {
    const colon = credentials.indexOf(COLON)
    if (colon < 0) return false
    const name = credentials.subarray(0, colon)
    const password = credentials.subarray(colon + 1)
    let matches = false
    for (const { hash, salt, user } of entries) {
      const isRight = timingSafeEqual(hash, hashOf(salt, password))
      if (isRight && user.length === name.length && timingSafeEqual(user, name)) matches = true
    }
    return matches
  }
}
