/** Unread rest of a text. */
export interface Rest {
  text: string
}

const OPENING = "({"
const CLOSING = ")}"

/**
 * Returns the end of the expression that begins at `start`: the position of the next comma or closing bracket that is
 * not nested.
 */
export const endOfExpression = (text: string, start = 0): number => {
  let level = 0
  let end = start
  for (; end < text.length; end++) {
    const character = text[end]!
    if (OPENING.includes(character)) level++
    else if (level > 0 && CLOSING.includes(character)) level--
    else if (level === 0 && (character === "," || CLOSING.includes(character))) break
  }
  return end
}

export const takeExpression = (rest: Rest): string => {
  const end = endOfExpression(rest.text)
  const taken = rest.text.slice(0, end)
  rest.text = rest.text.slice(end)
  return taken
}

export const takeText = (character: string, rest: Rest): boolean => {
  if (!rest.text.startsWith(character)) return false
  rest.text = rest.text.slice(1)
  return true
}

/** Returns the text between the brackets of a function. */
export const argumentsOf = (name: string, text: string): string | undefined =>
  text.startsWith(`${name}(`) && text.endsWith(")") ? text.slice(name.length + 1, -1) : undefined
