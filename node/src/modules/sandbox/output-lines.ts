/** Longest line that is kept; the rest of a longer one is left out. */
const MOST_CHARACTERS = 1_000

/** Cuts what a module prints into lines, with memory for one of them. */
export const linesOf = (onLine: (line: string) => void): (chunk: Buffer) => void => {
  let begun = ""
  return (chunk) => {
    const parts = chunk.toString("utf8").split("\n")
    for (const [i, part] of parts.entries()) {
      begun += part.slice(0, MOST_CHARACTERS - begun.length)
      if (i === parts.length - 1) return
      if (begun !== "") onLine(begun)
      begun = ""
    }
  }
}
