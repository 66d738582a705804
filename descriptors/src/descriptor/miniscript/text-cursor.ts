import { endOfExpression } from "../expression-text.ts"

/** A text that is read from start to end. */
export interface TextCursor {
  readonly startsWith: (text: string) => boolean
  /** Skips a text if it comes next. Returns whether it did. */
  readonly take: (text: string) => boolean
  /** Reads up to the next comma, and skips it. Returns `undefined` if a bracket closes first. */
  readonly upToComma: () => string | undefined
  /** Reads up to the next closing bracket, and skips it. */
  readonly upToBracket: () => string | undefined
  /** Reads a function and returns the text between its brackets. Returns `undefined` if no bracket closes it. */
  readonly argumentsOf: (name: string) => string | undefined
  /** Reads the letters of wrappers up to the colon, and skips it. Returns "" without wrappers. */
  readonly wrappers: () => string
  readonly isAtEnd: () => boolean
}

export const textOf = (text: string): TextCursor => {
  let at = 0

  const takeUpTo = (character: string): string | undefined => {
    for (let end = at; end < text.length; end++) {
      const found = text[end]!
      if (found === character) {
        const taken = text.slice(at, end)
        at = end + 1
        return taken
      }
      if (found === ")") return undefined
    }
    return undefined
  }

  return {
    startsWith: (start) => text.startsWith(start, at),
    take: (start) => {
      if (!text.startsWith(start, at)) return false
      at += start.length
      return true
    },
    upToComma: () => takeUpTo(","),
    upToBracket: () => takeUpTo(")"),
    argumentsOf: (name) => {
      const end = endOfExpression(text, at)
      const start = at + name.length + 1
      at = end
      return text[end - 1] === ")" && end > start ? text.slice(start, end - 1) : undefined
    },
    wrappers: () => {
      for (let end = at + 1; end < text.length; end++) {
        const character = text[end]!
        if (character === ":") {
          const taken = text.slice(at, end)
          at = end + 1
          return taken
        }
        if (character < "a" || character > "z") break
      }
      return ""
    },
    isAtEnd: () => at === text.length
  }
}
