import { copyFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Fault } from "./fault.ts"
import { type AreaFate, LONGEST, SLOW_TEST, tryFault } from "./area-trial.ts"
import { type KnownBaselines, openBaselines } from "./baseline.ts"
import { readImporters } from "./import-graph.ts"
import { nearestTests } from "./nearest-tests.ts"
import { findReach, type Reach } from "./reach.ts"
import { CHECKED, testRunner } from "./run-tests.ts"
import type { RunRecord } from "./run-record.ts"
import { checkTypes } from "./type-checks.ts"
import { makeWorkCopy } from "./work-copy.ts"

/** What a run is asked for. Times in milliseconds. */
export interface AreaOrder {
  readonly root: string
  readonly area: string
  readonly seed: number
  readonly sample: ReadonlyArray<Fault>
  readonly tests: ReadonlyArray<string>
  readonly record: RunRecord
  readonly known: KnownBaselines
  /** All files a test may run that are no tests. */
  readonly others: ReadonlyArray<string>
  readonly perFault: number
  /** No fault is begun after so long. */
  readonly untilAfter: number
  readonly progress: (fault: Fault, fate: AreaFate) => void
  /** A test file is about to be run to find out what it reaches. */
  readonly reaching: (test: string) => void
}

/** What a run found: a fate for each fault that there was time for, and test files that judge nothing. */
export interface AreaFindings {
  readonly fates: ReadonlyMap<number, AreaFate>
  readonly failing: ReadonlyArray<readonly [file: string, failure: string]>
}

/** The quick test files that a fault is tried on before anything is known of its reach, and their time for one fault. */
const NEARBY = 10
const NEARBY_MS = 12_000

/** How many faults one type check is for, as far as they are in different lines. */
const CHECKED_AT_ONCE = 200

const NONE: ReadonlyMap<number, string> = new Map()

/** Checks the copy without a fault; what an earlier run knows about the files shortens that. */
const knownTypes = async (
  root: string,
  copy: string,
  typeErrors: () => Promise<ReadonlyArray<string>>
): Promise<void> => {
  const kept = join(root, ".cache/mutation", CHECKED)
  if (existsSync(kept)) copyFileSync(kept, join(copy, CHECKED))
  const [error] = await typeErrors()
  // With it the check would refuse each fault.
  if (error !== undefined) throw new Error(`the type check fails without a fault: ${error}`)
  if (existsSync(join(copy, CHECKED))) copyFileSync(join(copy, CHECKED), kept)
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Tries the faults of a sample one by one in a copy of the workspace, which is removed however the run ends. */
export const runArea = async (
  { root, area, seed, sample, tests, record, known, others, perFault, untilAfter, progress, reaching }: AreaOrder
): Promise<AreaFindings> => {
  const fates = new Map<number, AreaFate>()
  const end = performance.now() + untilAfter
  const importers = readImporters(root)
  const texts = new Map(tests.map((test) => [test, readFileSync(join(root, test), "utf8")]))
  const copy = makeWorkCopy(root)
  const leave = (): never => {
    copy.remove()
    process.exit(130)
  }
  for (const signal of SIGNALS) process.once(signal, leave)
  try {
    const runner = testRunner(copy.root, seed)
    const baselines = openBaselines(runner, known)
    const importing = (fault: Fault): ReadonlyArray<string> =>
      nearestTests(importers, fault.file, tests, known.estimate, (test) => texts.get(test) ?? "")
    /** Test files that reach the fault; those that import its file where none is known to. */
    const testsOf = (reach: Reach, fault: Fault): ReadonlyArray<string> => {
      const reached = reach(fault)
      const nearest = importing(fault)
      return reached === undefined ? nearest : nearest.filter((test) => reached.has(test))
    }
    const attempt = (fault: Fault, files: ReadonlyArray<string>, time = perFault): Promise<AreaFate> => {
      const bench = {
        runner,
        baselines,
        perFault: time,
        withFault: <A>(trial: () => Promise<A>) => copy.withFaults([fault], trial)
      }
      return tryFault(bench, files)
    }
    /** Most faults are noticed by tests of moments next door: what else reaches them need not be known. */
    const nearby = (fault: Fault): ReadonlyArray<string> =>
      importing(fault).filter((test) => known.estimate(test) <= SLOW_TEST).slice(0, NEARBY)
    const types = { withFaults: copy.withFaults, typeErrors: () => runner.typeErrors(LONGEST) }
    await knownTypes(root, copy.root, types.typeErrors)
    const isKnown = (fault: Fault): boolean => record.fateOf(fault) !== undefined
    const conclude = (fault: Fault, fate: AreaFate): void => {
      if (!isKnown(fault)) record.recordFate(fault, fate)
      fates.set(fault.id, fate)
      progress(fault, fate)
    }
    const tryNearby = async (faults: ReadonlyArray<Fault>): Promise<void> => {
      for (const fault of faults) {
        if (performance.now() >= end) return
        const fate = await attempt(fault, nearby(fault), NEARBY_MS)
        if (fate.kind !== "survived") conclude(fault, fate)
      }
    }
    for (let at = 0; at < sample.length; at += CHECKED_AT_ONCE) {
      const next = sample.slice(at, at + CHECKED_AT_ONCE)
      const isLate = performance.now() >= end
      const refused = isLate ? NONE : await checkTypes(types, next.filter((fault) => !isKnown(fault)))
      // At once, so that a run that ends early has not checked them in vain.
      for (const fault of next) {
        const by = refused.get(fault.id)
        if (by !== undefined) record.recordFate(fault, { kind: "refused", by })
      }
      await tryNearby(next.filter((fault) => !isKnown(fault)))
      const untried = next.filter((fault) => !isKnown(fault))
      const reach = performance.now() >= end || untried.length === 0
        ? () => undefined
        : await findReach(
          { root, runner, known, others, withProbes: copy.withProbes, importing, progress: reaching },
          untried,
          { area, seed }
        )
      for (const fault of next) {
        if (fates.has(fault.id)) continue
        const recorded = record.fateOf(fault)
        if (recorded !== undefined) conclude(fault, recorded)
        else if (performance.now() < end) conclude(fault, await attempt(fault, testsOf(reach, fault)))
      }
    }
    return { fates, failing: baselines.failing() }
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave)
    copy.remove()
  }
}
