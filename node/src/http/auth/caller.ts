import { hash, timingSafeEqual } from "node:crypto"
import { bytesOfText } from "../../bytes/byte-text.ts"
import type { RpcCredentials } from "../../config/config.ts"
import { readAuthorization } from "./authorization.ts"
import { saltedPasswords } from "./salted-passwords.ts"

/** The caller: without credentials, with those of a normal user or an administrator, or with wrong ones. */
export type Caller = "anonymous" | "normal" | "admin" | "refused"

/** The callers that may call a method: any accepted caller, or administrators only. */
export type Privilege = "anyone" | "admin"

/** Returns the digest by which secrets are compared. */
const secretDigest = (secret: Uint8Array): Buffer => hash("sha256", secret, "buffer")

/**
 * Returns a check whether a digest is that of one of the secrets. It compares all, so its time reveals nothing about
 * them.
 */
const secretMatcher = (secrets: ReadonlyArray<string>): (candidate: Buffer) => boolean => {
  const expected = secrets.map((secret) => secretDigest(bytesOfText(secret)))
  return (candidate) => {
    let matches = false
    for (const each of expected) if (timingSafeEqual(each, candidate)) matches = true
    return matches
  }
}

/**
 * Returns a lookup of callers by the Authorization header. Wrong credentials are always refused, even if none are
 * required; missing ones are refused only if some are required. `cookie` is the password of local tools.
 */
export const callerOf = (
  { adminTokens, basic, required, salted, tokens }: RpcCredentials,
  cookie: string | undefined
): (header: string | undefined) => Caller => {
  const isAdminToken = secretMatcher(adminTokens)
  const isToken = secretMatcher(tokens)
  const isPassword = secretMatcher([
    ...(basic === undefined ? [] : [`${basic.username}:${basic.password}`]),
    ...(cookie === undefined ? [] : [cookie])
  ])
  const isSalted = saltedPasswords(salted)
  return (header) => {
    if (header === undefined) return required ? "refused" : "anonymous"
    const given = readAuthorization(header)
    if (given === undefined) return "refused"
    const candidate = secretDigest(given.secret)
    if (given.scheme === "basic") {
      const [plain, hashed] = [isPassword(candidate), isSalted(given.secret)]
      return plain || hashed ? "admin" : "refused"
    }
    const [admin, normal] = [isAdminToken(candidate), isToken(candidate)]
    return admin ? "admin" : normal ? "normal" : "refused"
  }
}

/** Reports whether a caller may call methods of a privilege. */
export const isAllowed = (caller: Caller, privilege: Privilege): boolean => privilege === "anyone" || caller === "admin"
