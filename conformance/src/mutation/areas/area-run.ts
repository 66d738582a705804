import type { Fault } from "./fault.ts"
import { type AreaFate, LONGEST, tryFault } from "./area-trial.ts"
import { type KnownBaselines, openBaselines } from "./baseline.ts"
import { readImporters } from "./import-graph.ts"
import { nearestTests } from "./nearest-tests.ts"
import { testRunner } from "./run-tests.ts"
import type { RunRecord } from "./run-record.ts"
import { makeWorkCopy } from "./work-copy.ts"

/** What a run is asked for. Times in milliseconds. */
export interface AreaOrder {
  readonly root: string
  readonly seed: number
  readonly sample: ReadonlyArray<Fault>
  readonly tests: ReadonlyArray<string>
  readonly record: RunRecord
  readonly known: KnownBaselines
  readonly perFault: number
  /** No fault is begun after so long. */
  readonly untilAfter: number
  readonly progress: (fault: Fault, fate: AreaFate) => void
}

/** What a run found: a fate for each fault that there was time for, and test files that judge nothing. */
export interface AreaFindings {
  readonly fates: ReadonlyMap<number, AreaFate>
  readonly failing: ReadonlyArray<readonly [file: string, failure: string]>
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Tries the faults of a sample one by one in a copy of the workspace, which is removed however the run ends. */
export const runArea = async (
  { root, seed, sample, tests, record, known, perFault, untilAfter, progress }: AreaOrder
): Promise<AreaFindings> => {
  const fates = new Map<number, AreaFate>()
  const end = performance.now() + untilAfter
  const importers = readImporters(root)
  const copy = makeWorkCopy(root)
  const leave = (): never => {
    copy.remove()
    process.exit(130)
  }
  for (const signal of SIGNALS) process.once(signal, leave)
  try {
    const runner = testRunner(copy.root, seed)
    const baselines = openBaselines(runner, known)
    const attempt = (fault: Fault): Promise<AreaFate> => {
      const bench = {
        runner,
        baselines,
        perFault,
        withFault: <A>(trial: () => Promise<A>) => copy.withFault(fault, trial)
      }
      return tryFault(bench, nearestTests(importers, fault.file, tests, known.estimate))
    }
    const typeError = await runner.typeError(LONGEST)
    // With it the check would refuse each fault.
    if (typeError !== undefined) throw new Error(`the type check fails without a fault: ${typeError}`)
    for (const fault of sample) {
      const fate = record.fateOf(fault) ?? (performance.now() < end ? await attempt(fault) : undefined)
      if (fate === undefined) continue
      if (record.fateOf(fault) === undefined) record.recordFate(fault, fate)
      fates.set(fault.id, fate)
      progress(fault, fate)
    }
    return { fates, failing: baselines.failing() }
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave)
    copy.remove()
  }
}
