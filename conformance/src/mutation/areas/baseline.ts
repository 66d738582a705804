import type { TestRunner } from "./run-tests.ts"

/** A test file without any fault: how long it takes, or why it judges nothing. */
export interface Baseline {
  readonly milliseconds: number
  readonly failure: string | undefined
}

/** A test file that passes without a fault, and how long it takes then. */
export type TimedTest = readonly [file: string, milliseconds: number]

/** What runs before this one have found out about test files. */
export interface KnownBaselines {
  /** As long as the file, and all that is no test, are the same. */
  readonly of: (file: string) => Baseline | undefined
  /** How long it took when it was last run, whatever has changed since. */
  readonly estimate: (file: string) => number
  readonly learned: (file: string, baseline: Baseline) => void
}

/** What test files are like without a fault. To be asked while none stands in the copy. */
export interface Baselines {
  /**
   * Those of `files` that pass and fit into `left` milliseconds, the first of them first. Each file is run for that
   * once.
   */
  readonly affordable: (files: ReadonlyArray<string>, left: number) => Promise<ReadonlyArray<TimedTest>>
  /** Whether `file` passes at this moment. */
  readonly passesNow: (file: string) => Promise<boolean>
  readonly failing: () => ReadonlyArray<readonly [file: string, failure: string]>
}

/** Longest time for one test file without a fault. */
const LONGEST = 120_000

export const openBaselines = (runner: TestRunner, known: KnownBaselines): Baselines => {
  const failing = new Map<string, string>()

  const measure = async (files: ReadonlyArray<string>): Promise<ReadonlyMap<string, Baseline>> => {
    const run = await runner.run(files, { limit: LONGEST * files.length, isWhole: true })
    if (run.kind === "ended") {
      return new Map(run.files.map(({ file, milliseconds, failure }) => [file, { milliseconds, failure }]))
    }
    const failure = run.kind === "broken"
      ? `the tests end without a report: ${run.said}`
      : `takes longer than ${LONGEST / 1000} s`
    return new Map(files.map((file) => [file, { milliseconds: LONGEST, failure }]))
  }

  const learn = async (files: ReadonlyArray<string>): Promise<void> => {
    const unknown = files.filter((file) => known.of(file) === undefined)
    if (unknown.length === 0) return
    const measured = await measure(unknown)
    for (const file of unknown) known.learned(file, measured.get(file) ?? { milliseconds: 0, failure: "has no tests" })
  }

  return {
    affordable: async (files, left) => {
      await learn(files.filter((file) => known.estimate(file) <= left))
      let sum = 0
      return files.flatMap((file): ReadonlyArray<TimedTest> => {
        const { failure, milliseconds = 0 } = known.of(file) ?? {}
        if (failure !== undefined) failing.set(file, failure)
        if (known.of(file) === undefined || failure !== undefined || sum + milliseconds > left) return []
        sum += milliseconds
        return [[file, milliseconds]]
      })
    },
    passesNow: async (file) => (await measure([file])).get(file)?.failure === undefined,
    failing: () => [...failing]
  }
}
