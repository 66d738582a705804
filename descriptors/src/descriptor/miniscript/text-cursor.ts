import { endOfExpression } from "../expression-text.ts"

/** A text that is read from its start to its end. */
export interface TextCursor {
  readonly startsWith: (text: string) => boolean
  /** Goes past a text, if it is there. */
  readonly take: (text: string) => boolean
  /** What stands before the next comma, past which it goes; none: a bracket closes before it. */
  readonly upToComma: () => string | undefined
  /** What stands before the next closing bracket, past which it goes. */
  readonly upToBracket: () => string | undefined
  /** What stands between the brackets of a function, past which it goes; none: no bracket closes it. */
  readonly argumentsOf: (name: string) => string | undefined
  /** The letters before a colon that wrap an expression, past which it goes; "" where there are none. */
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
