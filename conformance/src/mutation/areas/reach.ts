import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { digestOf } from "./digest.ts"
import type { Fault } from "./fault.ts"
import type { KnownBaselines } from "./baseline.ts"
import { placeOf, type WithProbes } from "./probes.ts"
import type { TestRunner } from "./run-tests.ts"

/** Which test files run the place of a fault; `undefined`: none is known to. */
export type Reach = (fault: Fault) => ReadonlySet<string> | undefined

interface Line {
  readonly test: string
  /** Of the test file and all files that are no tests. */
  readonly digest: string
  readonly asked: ReadonlyArray<string>
  readonly reached: ReadonlyArray<string>
}

/** Where the reach of test files is found out. */
export interface ReachBench {
  readonly root: string
  readonly runner: Pick<TestRunner, "run">
  readonly known: KnownBaselines
  /** All files that are no tests: while they and the test are the same, so is its reach. */
  readonly others: ReadonlyArray<string>
  readonly withProbes: WithProbes
  /** The test files that can reach a fault by what they import. */
  readonly importing: (fault: Fault) => ReadonlyArray<string>
  readonly progress: (test: string) => void
}

/** Longest time for one test file with probes. */
const LONGEST = 240_000

const readLines = (path: string): ReadonlyArray<Line> =>
  existsSync(path)
    ? readFileSync(path, "utf8").split("\n").filter((each) => each.endsWith("}")).map((each) =>
      JSON.parse(each) as Line
    )
    : []

/** The numbers that probes wrote. */
const readNumbers = (path: string): ReadonlySet<number> =>
  new Set(existsSync(path) ? readFileSync(path, "utf8").split("\n").filter((line) => line !== "").map(Number) : [])

/**
 * Runs each test file once, with a probe at each fault, and so finds out which of them reach it and how long they take.
 * What an earlier run found holds while the test and all that is no test are the same. A test file that fails with
 * probes counts as one that reaches all it imports.
 */
export const findReach = async (
  { root, runner, known, others, withProbes, importing, progress }: ReachBench,
  faults: ReadonlyArray<Fault>,
  run: { readonly area: string; readonly seed: number }
): Promise<Reach> => {
  const kept = join(root, `.cache/mutation/${run.area}-${run.seed}-reach.jsonl`)
  mkdirSync(dirname(kept), { recursive: true })
  const othersDigest = digestOf(root, others)
  const digestFor = (test: string): string => digestOf(root, [test]) + othersDigest
  const earlier = readLines(kept)
  const reachedBy = new Map<string, Set<string>>()
  const note = (place: string, test: string): void => {
    reachedBy.set(place, (reachedBy.get(place) ?? new Set()).add(test))
  }
  const wanted = new Map<string, Array<string>>()
  for (const fault of faults) {
    for (const test of importing(fault)) wanted.set(test, [...wanted.get(test) ?? [], placeOf(fault)])
  }
  const missing = [...wanted].filter(([test, places]) => {
    const digest = digestFor(test)
    const lines = earlier.filter((line) => line.test === test && line.digest === digest)
    const asked = new Set(lines.flatMap((line) => line.asked))
    if (!places.every((place) => asked.has(place))) return true
    for (const place of lines.flatMap(({ reached }) => reached)) note(place, test)
    return false
  })
  if (missing.length > 0) {
    const written = join(root, ".cache/mutation", `${run.area}-${run.seed}-reached.txt`)
    await withProbes(faults, written, async (numbers) => {
      for (const [test, places] of missing) {
        progress(test)
        rmSync(written, { force: true })
        const ended = await runner.run([test], { limit: LONGEST, isWhole: true })
        const file = ended.kind === "ended" ? ended.files.find((each) => each.file === test) : undefined
        const passed = file !== undefined && file.failure === undefined
        const seen = readNumbers(written)
        const reached = passed ? places.filter((place) => seen.has(numbers.get(place)!)) : places
        for (const place of reached) note(place, test)
        if (passed) {
          known.learned(test, { milliseconds: file.milliseconds, failure: undefined })
          appendFileSync(kept, `${JSON.stringify({ test, digest: digestFor(test), asked: places, reached })}\n`)
        }
      }
      rmSync(written, { force: true })
    })
  }
  return (fault) => reachedBy.get(placeOf(fault))
}
