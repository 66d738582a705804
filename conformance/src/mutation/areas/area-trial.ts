import type { Baselines, TimedTest } from "./baseline.ts"
import type { TestRunner } from "./run-tests.ts"

/** What became of a planted fault. */
export type AreaFate =
  | { readonly kind: "killed"; readonly by: string }
  /** Tests that pass within moments did not end. */
  | { readonly kind: "timeout"; readonly by: string }
  /** It is no program: the type check refuses it. */
  | { readonly kind: "refused"; readonly by: string }
  | { readonly kind: "survived"; readonly tests: number; readonly of: number }

/** Where a fault is tried. */
export interface Bench {
  readonly runner: Pick<TestRunner, "run">
  readonly baselines: Baselines
  /** Runs `trial` while the fault stands in the copy. */
  readonly withFault: <A>(trial: () => Promise<A>) => Promise<A>
  /** Milliseconds that the tests tried on one fault take without it, all together. */
  readonly perFault: number
}

/** How many test files are run at once: first few, for most faults are noticed next door. */
const CHUNKS = [4, 6, 10, 20, 40]
/**
 * The nearest of them have this much time even where less is set: they are the ones that were written for the source.
 */
const NEAREST_LEAST = 30_000
/** Starting the test program, and a fault's tests beside what they take without it. */
const START = 30_000
const SLOWER = 6
/** Tests that do not end without the fault either get so much more time, as the machine is busy, and at most so much. */
const MORE_TIME = 3
export const LONGEST = 900_000
/**
 * A test file that takes longer waits for sockets, processes or clocks: its failure is believed when it passes without
 * the fault. So is that of a file that was not run since something changed.
 */
export const SLOW_TEST = 2_500

const chunksOf = (files: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  let at = 0
  return CHUNKS.map((size) => files.slice(at, at += size)).filter((chunk) => chunk.length > 0)
}

const sumOf = (tests: ReadonlyArray<TimedTest>): number =>
  tests.reduce((sum, [, milliseconds]) => sum + milliseconds, 0)

const tryTests = async (
  bench: Bench,
  tests: ReadonlyArray<TimedTest>,
  limit = START + SLOWER * sumOf(tests)
): Promise<AreaFate | undefined> => {
  const { runner, baselines, withFault } = bench
  const files = tests.map(([file]) => file)
  const run = await withFault(() => runner.run(files, { limit, isWhole: false }))
  if (run.kind === "out of time") {
    const quiet = await runner.run(files, { limit, isWhole: false })
    if (quiet.kind !== "out of time") return { kind: "timeout", by: files.join(", ") }
    return limit * MORE_TIME > LONGEST ? undefined : tryTests(bench, tests, limit * MORE_TIME)
  }
  if (run.kind === "broken") return { kind: "killed", by: `the tests end without a report: ${run.said.split("\n")[0]}` }
  const failed = run.files.find(({ failure }) => failure !== undefined)
  if (failed === undefined) return undefined
  const isSlow = tests.some(([file, milliseconds]) => file === failed.file && milliseconds > SLOW_TEST)
  if ((isSlow || !baselines.isCurrent(failed.file)) && !await baselines.passesNow(failed.file)) {
    return tryTests(
      bench,
      tests.filter(([file]) => file !== failed.file)
    )
  }
  return { kind: "killed", by: `${failed.file}: ${failed.failure}` }
}

/**
 * Tries a fault: the nearest tests, then as many of the other tests as there is time for. `nearest`:
 * all test files that reach it, nearest first.
 */
export const tryFault = async (bench: Bench, nearest: ReadonlyArray<string>): Promise<AreaFate> => {
  let left = bench.perFault
  let tried = 0
  for (const [i, chunk] of chunksOf(nearest).entries()) {
    const inTime = await bench.baselines.affordable(chunk, i === 0 ? Math.max(left, NEAREST_LEAST) : left)
    // A fault that no test was run on would be no survivor.
    const isNone = i === 0 && inTime.length === 0
    const tests = isNone ? await bench.baselines.affordable(chunk.slice(0, 1), Infinity) : inTime
    const fate = tests.length === 0 ? undefined : await tryTests(bench, tests)
    if (fate !== undefined) return fate
    left -= sumOf(tests)
    tried += tests.length
  }
  return { kind: "survived", tests: tried, of: nearest.length }
}
