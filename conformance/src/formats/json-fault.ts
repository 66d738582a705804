const SPACE = /[ \t\n\r]*/y
// oxlint-disable-next-line no-control-regex -- a JSON string holds none of them as they are
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y

/** Line and column, from 1, of the place `offset` in `text`. */
const placeAt = (text: string, offset: number): string => {
  const before = text.slice(0, offset).split("\n")
  return `line ${before.length} column ${before.at(-1)!.length + 1}`
}

/**
 * Where `text` stops being JSON. `JSON.parse` says so for some faults only, and a fault that cannot be found in a file
 * of megabytes cannot be mended.
 */
export const jsonFault = (text: string): string => {
  let at = 0
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.test(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const take = (character: string): boolean => {
    skip(SPACE)
    if (text[at] !== character) return false
    at++
    return true
  }
  const value = (): boolean => {
    skip(SPACE)
    if (take("[")) return list("]", value)
    if (take("{")) return list("}", member)
    return skip(STRING) || skip(SCALAR)
  }
  const member = (): boolean => {
    skip(SPACE)
    return skip(STRING) && take(":") && value()
  }
  const list = (end: string, item: () => boolean): boolean => {
    if (take(end)) return true
    while (item()) {
      if (take(end)) return true
      if (!take(",")) return false
    }
    return false
  }
  value()
  skip(SPACE)
  return placeAt(text, at)
}
