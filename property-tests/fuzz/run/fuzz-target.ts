import { saved } from "./findings.ts"
import type { AnyTarget } from "../target.ts"
import type { Answer } from "./messages.ts"
import type { Session } from "./session.ts"

/** How long a finding may take to be made small. */
const MINIMISE_MS = 15_000

/** What came of one target. */
export interface Outcome {
  readonly executions: number
  readonly seconds: number
  /** One line each: what was found and where it was saved. */
  readonly findings: ReadonlyArray<string>
  /** What the target says of its inputs; those before the last hang or crash are not in it. */
  readonly notes: ReadonlyArray<string>
}

type FindingAnswer = Extract<Answer, { type: "finding" }>

/** The last answer with an input, where the worker gives one. */
const inputFrom = async (session: Session, order: Parameters<Session["order"]>[0]): Promise<string | undefined> => {
  let input: string | undefined
  await session.order(order, (answer) => {
    if (answer.type === "input") input = answer.input
  })
  return input
}

const report = async (
  session: Session,
  target: string,
  seed: number,
  { index, finding, input }: FindingAnswer,
  regressions: string | undefined
): Promise<string> => {
  const smaller = await inputFrom(session, {
    type: "minimise",
    target,
    input,
    finding,
    until: Date.now() + MINIMISE_MS
  })
  return `${finding}\n    saved as ${saved({ target, seed, index, finding, input: smaller ?? input }, regressions)}`
}

/** An input that never came back cannot be made small by trying; it is saved as it was generated. */
const reportStopped = async (
  session: Session,
  target: string,
  seed: number,
  index: number,
  finding: string,
  regressions: string | undefined
): Promise<string> => {
  const input = await inputFrom(session, { type: "generate", target, seed, index })
  return input === undefined
    ? `${finding} (input ${index} could not be made again)`
    : `${finding}\n    saved as ${saved({ target, seed, index, finding, input }, regressions)}`
}

/** Fuzzes one target for `seconds`; a hang or a crash costs its input, not the run. */
export const fuzzTarget = async (
  session: Session,
  { name: target, regressions }: Pick<AnyTarget, "name" | "regressions">,
  seed: number,
  seconds: number
): Promise<Outcome> => {
  const findings: Array<string> = []
  const failed = await session.start()
  if (failed !== undefined) return { executions: 0, seconds: 0, findings: ["the worker did not start"], notes: [] }
  const prepared = async (): Promise<boolean> => {
    const stopped = await session.order({ type: "prepare", target }, () => {})
    if (stopped === undefined) return true
    findings.push(
      `what inputs are tried on did not start: ${stopped.type === "crash" ? stopped.why : "it took too long"}`
    )
    return false
  }
  // Getting ready is not part of the time.
  let isReady = await prepared()
  const started = Date.now()
  const until = started + seconds * 1_000
  let next = 0
  let notes: ReadonlyArray<string> = []
  while (isReady && Date.now() < until && findings.length < 5) {
    const found: Array<FindingAnswer> = []
    const stopped = await session.order({ type: "run", target, seed, from: next, until }, (answer) => {
      if (answer.type === "finding") found.push(answer)
      if (answer.type !== "done") return
      next = answer.next
      notes = answer.notes
    })
    for (const each of found) findings.push(await report(session, target, seed, each, regressions))
    if (stopped === undefined) break
    const what = stopped.type === "hang"
      ? "hang: one input took 20 s of the processor, or never came back"
      : `crash: ${stopped.why}`
    findings.push(await reportStopped(session, target, seed, stopped.index, what, regressions))
    if (stopped.index < 0) break
    next = stopped.index + 1
    isReady = await prepared()
  }
  return { executions: next, seconds: (Date.now() - started) / 1_000, findings, notes }
}
