import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { mutantKey } from "../mutant.ts"
import type { AreaFate } from "./area-trial.ts"
import { digestOf } from "./digest.ts"
import type { Fault } from "./fault.ts"

/** What an earlier run of the same area and seed has found, as far as it still holds. */
export interface RunRecord {
  readonly fateOf: (fault: Fault) => AreaFate | undefined
  readonly recordFate: (fault: Fault, fate: AreaFate) => void
}

interface Line {
  readonly key: string
  /** Of the file the fault is in. */
  readonly source: string
  /** Of all tests. */
  readonly tests: string
  readonly fate: AreaFate
}

/**
 * Opens the record of a run below `root`. What was noticed holds while its source is the same; what survived is tried
 * again when a test has changed.
 */
export const openRunRecord = (
  root: string,
  run: { readonly area: string; readonly seed: number },
  { sources, tests }: { readonly sources: ReadonlyArray<string>; readonly tests: ReadonlyArray<string> }
): RunRecord => {
  const path = join(root, `.cache/mutation/${run.area}-${run.seed}.jsonl`)
  const testsDigest = digestOf(root, tests)
  const sourceDigests = new Map(sources.map((file) => [file, digestOf(root, [file])]))
  const sourceOf = (key: string): string | undefined =>
    sourceDigests.get((JSON.parse(key) as ReadonlyArray<string>)[0]!)
  const lines = new Map<string, Line>()
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  for (const line of text.split("\n").filter((each) => each.endsWith("}"))) {
    const read = JSON.parse(line) as Line
    lines.set(read.key, read)
  }
  mkdirSync(dirname(path), { recursive: true })
  return {
    fateOf: (fault) => {
      const line = lines.get(mutantKey(fault))
      if (line === undefined || line.source !== sourceOf(line.key)) return undefined
      return line.fate.kind !== "survived" || line.tests === testsDigest ? line.fate : undefined
    },
    recordFate: (fault, fate) => {
      const key = mutantKey(fault)
      const line = { key, source: sourceOf(key)!, tests: testsDigest, fate }
      lines.set(key, line)
      appendFileSync(path, `${JSON.stringify(line)}\n`)
    }
  }
}
