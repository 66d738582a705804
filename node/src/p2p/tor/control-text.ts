const OCTAL = /^(?:[0-3][0-7]{2}|[0-7]{1,2})/

const NAMED: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" }

/**
 * Returns the text between quotes, unescaped as a C string, and its length with quotes; `undefined` if the quotes do
 * not end.
 */
const quoted = (text: string): { readonly value: string; readonly length: number } | undefined => {
  let value = ""
  for (let at = 1; at < text.length; at++) {
    const character = text[at]!
    if (character === "\"") return { value, length: at + 1 }
    if (character !== "\\") {
      value += character
      continue
    }
    const octal = OCTAL.exec(text.slice(at + 1, at + 4))?.[0]
    const named = text[at + 1]
    if (named === undefined) return undefined
    value += octal === undefined ? NAMED[named] ?? named : String.fromCharCode(Number.parseInt(octal, 8))
    at += octal?.length ?? 1
  }
  return undefined
}

/** Splits a line into its first word and the rest. */
export const splitLine = (line: string): { readonly word: string; readonly rest: string } => {
  const at = line.indexOf(" ")
  return at < 0 ? { word: line, rest: "" } : { word: line.slice(0, at), rest: line.slice(at + 1) }
}

/** Parses the values of `KEY=value KEY="value"`; empty if any part has another form. */
export const valuesOf = (text: string): ReadonlyMap<string, string> => {
  const values = new Map<string, string>()
  let left = text
  while (left !== "") {
    const [all, key] = /^([^= ]+)=/.exec(left) ?? []
    if (all === undefined) return new Map()
    left = left.slice(all.length)
    const inQuotes = left.startsWith("\"") ? quoted(left) : undefined
    if (left.startsWith("\"") && inQuotes === undefined) return new Map()
    const value = inQuotes?.value ?? splitLine(left).word
    left = left.slice(inQuotes?.length ?? value.length)
    if (left !== "" && !left.startsWith(" ")) return new Map()
    left = left.slice(1)
    values.set(key!, value)
  }
  return values
}

/** Quotes a text for Tor. */
export const quote = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll("\"", "\\\"")}"`
