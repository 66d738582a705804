/** Content of an Authorization header: name and password, or a token, as the received bytes. */
export interface Authorization {
  readonly scheme: "basic" | "bearer"
  readonly secret: Buffer
}

/** Whitespace as in C. Other bytes belong to the value. */
const SPACE = " \t\v\f\r\n"
const FIELD = /^[ \t\v\f\r\n]*(basic|bearer) +(.*)$/is

/** Removes whitespace at the end. A pattern would take quadratic time on a header full of spaces. */
const withoutSpaceBehind = (text: string): string => {
  let end = text.length
  while (end > 0 && SPACE.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/**
 * Reads an Authorization header, in which each character is one byte. Like Bitcoin Core, returns `undefined` for base64
 * with other characters, without its padding or with unused bits set.
 */
export const readAuthorization = (header: string): Authorization | undefined => {
  const [, scheme, rest = ""] = FIELD.exec(header) ?? []
  const value = withoutSpaceBehind(rest)
  if (scheme?.toLowerCase() === "bearer") return { scheme: "bearer", secret: Buffer.from(value, "latin1") }
  if (scheme === undefined) return undefined
  const secret = Buffer.from(value, "base64")
  return secret.toString("base64") === value ? { scheme: "basic", secret } : undefined
}
