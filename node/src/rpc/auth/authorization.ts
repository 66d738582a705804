/** What an Authorization header says: name and password, or a token, as the bytes that came. */
export interface Authorization {
  readonly scheme: "basic" | "bearer"
  readonly secret: Buffer
}

/** Space as C has it, nothing else: other bytes belong to the value. */
const FIELD = /^[ \t\v\f\r\n]*(basic|bearer) +(.*?)[ \t\v\f\r\n]*$/is

/**
 * Reads the header of a request, in which each character is one byte. Base64 that has other characters, lacks its
 * padding or has bits left over says nothing, as for Bitcoin Core.
 */
export const readAuthorization = (header: string): Authorization | undefined => {
  const [, scheme, value = ""] = FIELD.exec(header) ?? []
  if (scheme?.toLowerCase() === "bearer") return { scheme: "bearer", secret: Buffer.from(value, "latin1") }
  if (scheme === undefined) return undefined
  const secret = Buffer.from(value, "base64")
  return secret.toString("base64") === value ? { scheme: "basic", secret } : undefined
}
