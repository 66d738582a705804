import type { Order, Survey, Difference, TrialAnswer } from "./messages.ts"
import type { Mutant } from "./mutant.ts"
import { openTrialProcess, takeSurvey, type TrialProcess } from "./trial-process.ts"

/** What became of a mutant. */
export type Fate =
  | { readonly kind: "killed"; readonly by: string; readonly how: Difference | "crashes" }
  /** `reached`: its place is run. `seen`: it made a difference there. Neither changed the outcome of a case. */
  | { readonly kind: "survived"; readonly reached: boolean; readonly seen: boolean }

/** Called while an experiment goes on. */
export type Progress = (done: number, all: number, survived: number) => void

/** An experiment: the cases, and what became of each mutant. */
export interface Experiment {
  readonly fates: ReadonlyMap<number, Fate>
  readonly survey: Survey
}

/** A mutant with the cases that may kill it, in the order in which they run. */
interface Trial {
  readonly mutant: Mutant
  readonly cases: Uint32Array
}

/** Hands out mutants, each once, and keeps the results. */
interface Ledger {
  readonly next: () => Trial | undefined
  readonly record: (mutant: Mutant, fate: Fate, by: number | undefined) => void
  readonly fates: ReadonlyMap<number, Fate>
}

/** First the cases that killed most mutants of the same file, then the quick ones. */
const inOrder = (indices: Iterable<number>, kills: ReadonlyMap<number, number>, { cases }: Survey): Uint32Array =>
  Uint32Array.from(
    [...indices].filter((i) => cases[i]!.fault === undefined).sort((a, b) =>
      (kills.get(b) ?? 0) - (kills.get(a) ?? 0) || cases[a]!.milliseconds - cases[b]!.milliseconds
    )
  )

const openLedger = (mutants: ReadonlyArray<Mutant>, survey: Survey, progress: Progress): Ledger => {
  const reached = new Set(survey.reached)
  const atLoad = new Set(survey.seenAtLoad)
  const everyCase = survey.cases.map((_, i) => i)
  const fates = new Map<number, Fate>()
  const kills = new Map(mutants.map(({ file }) => [file, new Map<number, number>()]))
  const queue = mutants.values()
  let survived = 0
  const record: Ledger["record"] = (mutant, fate, by) => {
    fates.set(mutant.id, fate)
    if (fate.kind === "survived") survived++
    const killsOfFile = kills.get(mutant.file)!
    if (by !== undefined) killsOfFile.set(by, (killsOfFile.get(by) ?? 0) + 1)
    progress(fates.size, mutants.length, survived)
  }
  const next = () => {
    for (const mutant of queue) {
      const candidates = atLoad.has(mutant.id) ? everyCase : survey.seenBy[mutant.id]!
      const cases = inOrder(candidates, kills.get(mutant.file)!, survey)
      if (cases.length > 0) return { mutant, cases }
      record(mutant, { kind: "survived", reached: reached.has(mutant.id), seen: false }, undefined)
    }
    return undefined
  }
  return { next, record, fates }
}

const recordAnswer = (
  { record }: Ledger,
  { mutant, cases }: Trial,
  answer: TrialAnswer | undefined,
  survey: Survey
): void => {
  const labelOf = (index: number) => survey.cases[index]!.label
  if (answer === undefined) record(mutant, { kind: "killed", by: labelOf(cases[0]!), how: "crashes" }, undefined)
  else if (answer.kind === "killed") {
    record(mutant, { kind: "killed", by: labelOf(answer.case), how: answer.how }, answer.case)
  } else record(mutant, { kind: "survived", reached: true, seen: true }, undefined)
}

/** After the last mutant every case must go as before the first; otherwise mutants were judged by damaged cases. */
const checkUndamaged = async (process: TrialProcess, survey: Survey): Promise<void> => {
  const answer = await process.ask({ kind: "check" })
  const failing = answer?.kind === "checked" ? answer.failing : ["all, for the process ended"]
  const known = new Set(survey.cases.filter(({ fault }) => fault !== undefined).map(({ label }) => label))
  const damaged = failing.filter((label) => !known.has(label))
  if (damaged.length > 0) {
    throw new Error(`a mutant has damaged what cases share; now failing without one: ${damaged.slice(0, 5).join(", ")}`)
  }
}

/** Tries every one of `mutants` on `jobs` processes. */
export const experiment = async (
  order: Omit<Order, "task">,
  mutants: ReadonlyArray<Mutant>,
  jobs: number,
  progress: Progress
): Promise<Experiment> => {
  const survey = await takeSurvey(order)
  const ledger = openLedger(mutants, survey, progress)
  const work = async (): Promise<void> => {
    const process = openTrialProcess(order, survey)
    try {
      for (let trial = ledger.next(); trial !== undefined; trial = ledger.next()) {
        recordAnswer(
          ledger,
          trial,
          await process.ask({ kind: "try", mutant: trial.mutant.id, cases: trial.cases }),
          survey
        )
      }
      await checkUndamaged(process, survey)
    } finally {
      process.close()
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return { fates: ledger.fates, survey }
}
