/** What an Authorization header says: name and password, or a token, as the bytes that came. */
export interface Authorization {
  readonly scheme: "basic" | "bearer"
  readonly secret: Buffer
}

/** Space as C has it, nothing else: other bytes belong to the value. */
const SPACE = " \t\v\f\r\n"
const FIELD = /^[ \t\v\f\r\n]*(basic|bearer) +(.*)$/is

/** Removes space at the end. A pattern would try again from each space of a header that is full of them. */
const withoutSpaceBehind = (text: string): string => {
  let end = text.length
  while (end > 0 && SPACE.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/**
 * Reads the header of a request, in which each character is one byte. Base64 that has other characters, lacks its
 * padding or has bits left over says nothing, as for Bitcoin Core.
 */
export const readAuthorization = (header: string): Authorization | undefined => {
  const [, scheme, rest = ""] = FIELD.exec(header) ?? []
  const value = withoutSpaceBehind(rest)
  if (scheme?.toLowerCase() === "bearer") return { scheme: "bearer", secret: Buffer.from(value, "latin1") }
  if (scheme === undefined) return undefined
  const secret = Buffer.from(value, "base64")
  return secret.toString("base64") === value ? { scheme: "basic", secret } : undefined
}
