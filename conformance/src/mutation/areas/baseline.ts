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
  /** How long it took when it was last run, whatever has changed since; 0: it never was. */
  readonly estimate: (file: string) => number
  readonly learned: (file: string, baseline: Baseline) => void
}

/** What test files are like without a fault. To be asked while none stands in the copy. */
export interface Baselines {
  /**
   * Those of `files` that pass and fit into `left` milliseconds, the first of them first. A file that was never run is
   * run for that once. One that passed before something changed counts as it was then.
   */
  readonly affordable: (files: ReadonlyArray<string>, left: number) => Promise<ReadonlyArray<TimedTest>>
  /** Whether `file` passed since anything has changed. */
  readonly isCurrent: (file: string) => boolean
  /** Whether `file` passes at this moment. */
  readonly passesNow: (file: string) => Promise<boolean>
  readonly failing: () => ReadonlyArray<readonly [file: string, failure: string]>
}

/** Longest time for one test file without a fault. */
const LONGEST = 120_000

export const openBaselines = (runner: Pick<TestRunner, "run">, known: KnownBaselines): Baselines => {
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
    const unknown = files.filter((file) => known.of(file) === undefined && known.estimate(file) === 0)
    if (unknown.length === 0) return
    const measured = await measure(unknown)
    for (const file of unknown) known.learned(file, measured.get(file) ?? { milliseconds: 0, failure: "has no tests" })
  }

  return {
    affordable: async (files, left) => {
      await learn(files.filter((file) => known.estimate(file) <= left))
      let sum = 0
      return files.flatMap((file): ReadonlyArray<TimedTest> => {
        const { failure, milliseconds } = known.of(file) ?? { failure: undefined, milliseconds: known.estimate(file) }
        if (failure !== undefined) failing.set(file, failure)
        const isUnknown = known.of(file) === undefined && milliseconds === 0
        if (isUnknown || failure !== undefined || sum + milliseconds > left) return []
        sum += milliseconds
        return [[file, milliseconds]]
      })
    },
    isCurrent: (file) => known.of(file) !== undefined,
    passesNow: async (file) => {
      const measured = (await measure([file])).get(file)
      if (measured !== undefined && measured.failure === undefined) known.learned(file, measured)
      return measured?.failure === undefined
    },
    failing: () => [...failing]
  }
}
