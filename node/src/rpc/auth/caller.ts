import { hash, timingSafeEqual } from "node:crypto"
import type { RpcCredentials } from "../../config/config.ts"
import type { Privilege } from "../method/method-facts.ts"
import { saltedPasswords } from "./salted-passwords.ts"

/** The caller: without credentials, with those of a normal user or an administrator, or with wrong ones. */
export type Caller = "anonymous" | "normal" | "admin" | "refused"

const AUTHORIZATION = /^(basic|bearer) +(\S+)$/i

/** What secrets are compared by. */
const secretDigest = (text: string): Buffer => hash("sha256", text, "buffer")

/** Finds by its digest whether a text is one of some secrets. All are compared, so the time says nothing about them. */
const secretMatcher = (secrets: ReadonlyArray<string>): (candidate: Buffer) => boolean => {
  const expected = secrets.map(secretDigest)
  return (candidate) => {
    let matches = false
    for (const each of expected) if (timingSafeEqual(each, candidate)) matches = true
    return matches
  }
}

/**
 * Finds the caller by the Authorization header. Credentials that are given and wrong are always refused, also where
 * none are needed; none at all are refused only where some are required. `cookie` is the password of local tools.
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
    const [, scheme = "", value = ""] = AUTHORIZATION.exec(header.trim()) ?? []
    if (scheme.toLowerCase() === "basic") {
      const credentials = Buffer.from(value, "base64").toString()
      const [plain, hashed] = [isPassword(secretDigest(credentials)), isSalted(credentials)]
      return plain || hashed ? "admin" : "refused"
    }
    if (scheme.toLowerCase() !== "bearer") return "refused"
    const candidate = secretDigest(value)
    const [admin, normal] = [isAdminToken(candidate), isToken(candidate)]
    return admin ? "admin" : normal ? "normal" : "refused"
  }
}

/** Whether a caller may call methods of a privilege. */
export const isAllowed = (caller: Caller, privilege: Privilege): boolean => privilege === "anyone" || caller === "admin"
