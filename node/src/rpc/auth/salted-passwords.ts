import { createHmac, timingSafeEqual } from "node:crypto"
import type { SaltedPassword } from "../../config/config.ts"

const hashOf = (salt: string, password: string): Buffer => createHmac("sha256", salt).update(password).digest()

/**
 * Whether `name:password` is one of these users. Every entry is hashed and compared, so that the time says nothing
 * about names either.
 */
export const saltedPasswords = (users: ReadonlyArray<SaltedPassword>): (credentials: string) => boolean => {
  const entries = users.map(({ hash, salt, user }) => ({
    user: Buffer.from(user),
    salt,
    hash: Buffer.from(hash, "hex")
  }))
  return (credentials) => {
    const colon = credentials.indexOf(":")
    if (colon < 0) return false
    const name = Buffer.from(credentials.slice(0, colon))
    const password = credentials.slice(colon + 1)
    let matches = false
    for (const { hash, salt, user } of entries) {
      const isRight = timingSafeEqual(hash, hashOf(salt, password))
      if (isRight && user.length === name.length && timingSafeEqual(user, name)) matches = true
    }
    return matches
  }
}
