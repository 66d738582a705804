import { copyFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import type { Fault } from "./fault.ts"
import { type AreaFate, LONGEST, tryFault } from "./area-trial.ts"
import { type KnownBaselines, openBaselines } from "./baseline.ts"
import { readImporters } from "./import-graph.ts"
import { nearestTests } from "./nearest-tests.ts"
import { CHECKED, testRunner } from "./run-tests.ts"
import type { RunRecord } from "./run-record.ts"
import { checkTypes } from "./type-checks.ts"
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

/** How many faults that no test noticed wait for one type check. */
const CHECKED_AT_ONCE = 12

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
        withFault: <A>(trial: () => Promise<A>) => copy.withFaults([fault], trial)
      }
      return tryFault(bench, nearestTests(importers, fault.file, tests, known.estimate))
    }
    const types = { withFaults: copy.withFaults, typeErrors: () => runner.typeErrors(LONGEST) }
    await knownTypes(root, copy.root, types.typeErrors)
    const conclude = (fault: Fault, fate: AreaFate): void => {
      if (record.fateOf(fault) === undefined) record.recordFate(fault, fate)
      fates.set(fault.id, fate)
      progress(fault, fate)
    }
    /** Survived, and perhaps no programs. */
    let unchecked: ReadonlyArray<readonly [Fault, AreaFate]> = []
    const check = async (): Promise<void> => {
      const refused = await checkTypes(types, unchecked.map(([fault]) => fault))
      for (const [fault, fate] of unchecked) {
        const error = refused.get(fault.id)
        conclude(fault, error === undefined ? fate : { kind: "refused", by: error })
      }
      unchecked = []
    }
    for (const fault of sample) {
      const recorded = record.fateOf(fault)
      const fate = recorded ?? (performance.now() < end ? await attempt(fault) : undefined)
      if (fate === undefined) continue
      if (recorded === undefined && fate.kind === "survived") unchecked = [...unchecked, [fault, fate]]
      else conclude(fault, fate)
      if (unchecked.length >= CHECKED_AT_ONCE) await check()
    }
    await check()
    return { fates, failing: baselines.failing() }
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave)
    copy.remove()
  }
}
