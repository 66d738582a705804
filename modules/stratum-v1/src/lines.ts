/** Maximum bytes of a line; the longest call of a miner has a few hundred. */
const MOST_BYTES = 8_192

/** Splits a stream into lines and passes each non-empty one to `take`. Returns false once a line is too long. */
export const linesOf = (take: (line: string) => void): (chunk: Buffer) => boolean => {
  let rest = ""
  return (chunk) => {
    const lines = (rest + chunk.toString("latin1")).split("\n")
    rest = lines.pop()!
    for (const line of lines) {
      if (line.length > MOST_BYTES) return false
      if (line.trim() !== "") take(line)
    }
    return rest.length <= MOST_BYTES
  }
}
