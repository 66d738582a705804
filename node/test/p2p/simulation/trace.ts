import { createHash } from "node:crypto"

/** What happened in a simulation, line by line: a hash of all, and the last lines. */
export interface Trace {
  readonly line: (text: string) => void
  /** The same for two runs in which the same happened. */
  readonly digest: () => string
  readonly last: () => ReadonlyArray<string>
  readonly count: () => number
}

const KEPT = 200

/** `each` sees every line at once. */
export const trace = (now: () => number, each: (line: string) => void = () => {}): Trace => {
  const start = now()
  const hash = createHash("sha256")
  const kept: Array<string> = []
  let count = 0
  return {
    line: (text) => {
      const line = `${((now() - start) / 1_000).toFixed(3)} ${text}`
      hash.update(line).update("\n")
      each(line)
      count++
      kept.push(line)
      if (kept.length > 2 * KEPT) kept.splice(0, KEPT)
    },
    digest: () => hash.copy().digest("hex"),
    last: () => kept.slice(-KEPT),
    count: () => count
  }
}
