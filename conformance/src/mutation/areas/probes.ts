import { isStatement, type Fault } from "./fault.ts"

/** The name below which a process keeps the function that all probes in it call. */
const PROBE = "lockstepReached"

/**
 * Calls the probe of `number`: the first time in a process it writes the number into the file at `path`. It works in every
 * program and thread that a test starts. A full disk or a lost right is the test's business, so its errors are ignored.
 */
const probeCall = (path: string, number: number): string =>
  `(globalThis.${PROBE} ??= ((seen) => (n) => { if (seen.has(n)) return; seen.add(n); ` +
  `try { process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(path)}, n + "\\n") } catch {} })` +
  `(new Set()))(${number})`

/** Text that is put before and behind a place. */
const around = (fault: Fault, call: string): readonly [before: string, behind: string] => {
  if (isStatement(fault)) return [`{ ${call}; `, " }"]
  // Without it a line before that has no semicolon would call what the parentheses hold.
  return [`${fault.beginsStatement ? "void 0, " : ""}(${call}, `, ")"]
}

interface Insertion {
  readonly at: number
  readonly text: string
  /** Which comes first of those at one place: what ends there, inner before outer; then what begins, outer before inner. */
  readonly rank: number
}

/** Faults that replace the same stretch of a file share a probe: it is named by this. */
export const placeOf = ({ file, span }: Pick<Fault, "file" | "span">): string => `${file}:${span.start}-${span.end}`

/** Numbers for the places of `faults`, from 1. */
export const numberPlaces = (faults: ReadonlyArray<Fault>): ReadonlyMap<string, number> =>
  new Map([...new Set(faults.map(placeOf))].map((place, i) => [place, i + 1]))

/** Runs `trial` while probes for `faults` stand in the copy; each writes its number into the file at `path`. */
export type WithProbes = <A>(
  faults: ReadonlyArray<Fault>,
  path: string,
  trial: (numbers: ReadonlyMap<string, number>) => Promise<A>
) => Promise<A>

/**
 * The text of a file that says which of the places of `faults`, all of that file, are reached when it runs. Lines keep
 * their numbers.
 */
export const withProbes = (
  text: string,
  faults: ReadonlyArray<Fault>,
  numbers: ReadonlyMap<string, number>,
  path: string
): string => {
  const places = new Map(faults.map((fault) => [placeOf(fault), fault]))
  const insertions = [...places].flatMap(([place, fault]): ReadonlyArray<Insertion> => {
    const [before, behind] = around(fault, probeCall(path, numbers.get(place)!))
    const { start, end } = fault.span
    return [{ at: start, text: before, rank: text.length - (end - start) }, {
      at: end,
      text: behind,
      rank: end - start - text.length
    }]
  })
  let done = 0
  let probed = ""
  for (const { at, text: put } of insertions.toSorted((a, b) => a.at - b.at || a.rank - b.rank)) {
    probed += text.slice(done, at) + put
    done = at
  }
  return probed + text.slice(done)
}
