import { createHash } from "node:crypto"
import type { Bench } from "../judge/bench.ts"
import { loadRewritten } from "./load-rewritten.ts"
import type { Order, Survey, SurveyedCase, Difference, TrialAnswer, TrialRequest } from "./messages.ts"
import { mutantsOf, readKernel } from "./kernel-sources.ts"
import { Hang, installRuntime, type Runtime } from "./runtime.ts"
import type { TrialCase } from "./trial-cases.ts"

/** More turns than any loop of a case takes, and few enough to subtract from exactly. */
const UNLIMITED = 2 ** 52
/** A mutant may loop this much more than the kernel before it counts as looping on and on. */
const TURNS_FACTOR = 20
const TURNS_SPARE = 100_000
const TURNS_AT_LOAD = 1_000_000

const messageOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

interface Laboratory {
  /** Differs when the kernel or the cases do. */
  readonly fingerprint: string
  readonly runtime: Runtime
  readonly mutants: number
  readonly cases: ReadonlyArray<TrialCase>
  readonly createBench: () => Bench
}

/** Everything that imports the kernel is imported here, after the kernel has been rewritten. */
const open = async ({ task, root, vectors, choice }: Order): Promise<Laboratory> => {
  const files = readKernel(root, choice)
  const mutants = mutantsOf(files).length
  const runtime = installRuntime(mutants)
  loadRewritten(root, files, task)
  const { readTrialCases } = await import("./trial-cases.ts")
  const { trialCrypto } = await import("./trial-crypto.ts")
  const { createBench } = await import("../judge/bench.ts")
  const crypto = trialCrypto()
  const cases = await readTrialCases(root, vectors)
  const digest = createHash("sha256")
  for (const { source } of files) digest.update(source.text)
  for (const { label } of cases) digest.update(label)
  return { fingerprint: digest.digest("hex"), runtime, mutants, cases, createBench: () => createBench(crypto) }
}

const faultOf = (given: TrialCase, bench: Bench): string | undefined => {
  try {
    const outcome = given.judge(bench)
    return outcome && `expected ${outcome.expected}, got ${outcome.actual}`
  } catch (error) {
    return messageOf(error)
  }
}

const survey = ({ fingerprint, runtime, mutants, cases, createBench }: Laboratory): Survey => {
  runtime.allow(UNLIMITED)
  runtime.takeSeen()
  runtime.takeReached()
  runtime.activate(0)
  const seenAtLoad = Uint32Array.from(runtime.takeSeen())
  const reached = new Set(runtime.takeReached())
  const seenBy = Array.from({ length: mutants + 1 }, (): Array<number> => [])
  const bench = createBench()
  const surveyed = cases.map((given, i): SurveyedCase => {
    runtime.allow(UNLIMITED)
    const started = performance.now()
    const fault = faultOf(given, bench)
    const milliseconds = performance.now() - started
    for (const id of runtime.takeSeen()) seenBy[id]!.push(i)
    for (const id of runtime.takeReached()) reached.add(id)
    return { suite: given.suite, label: given.label, milliseconds, turns: runtime.spent(), fault }
  })
  return {
    fingerprint,
    cases: surveyed,
    seenBy: seenBy.map((ids) => Uint32Array.from(ids)),
    seenAtLoad,
    reached: Uint32Array.from(reached)
  }
}

/** How `given` kills the mutant that is on; undefined when it does not. */
const killBy = (given: TrialCase, bench: Bench): Difference | undefined => {
  try {
    return given.judge(bench) === undefined ? undefined : "answers differently"
  } catch (error) {
    return error instanceof Hang ? "loops" : "throws"
  }
}

const tryMutant = (
  { runtime, cases, createBench }: Laboratory,
  turns: Float64Array,
  mutant: number,
  indices: Uint32Array
): TrialAnswer => {
  const allow = (index: number) => runtime.allow(turns[index]! * TURNS_FACTOR + TURNS_SPARE)
  try {
    runtime.allow(TURNS_AT_LOAD)
    runtime.activate(mutant)
  } catch {
    return { kind: "killed", mutant, case: indices[0]!, how: "throws" }
  }
  const bench = createBench()
  for (const index of indices) {
    allow(index)
    const how = killBy(cases[index]!, bench)
    if (how !== undefined) return { kind: "killed", mutant, case: index, how }
  }
  return { kind: "survived", mutant }
}

const check = ({ runtime, cases, createBench }: Laboratory): TrialAnswer => {
  runtime.allow(UNLIMITED)
  const bench = createBench()
  return {
    kind: "checked",
    failing: cases.filter((given) => faultOf(given, bench) !== undefined).map(({ label }) => label)
  }
}

const answerTo = (
  laboratory: Laboratory,
  turns: Float64Array,
  request: Exclude<TrialRequest, { kind: "begin" }>
): TrialAnswer => {
  if (request.kind === "check") return check(laboratory)
  const outcome = tryMutant(laboratory, turns, request.mutant, request.cases)
  laboratory.runtime.allow(UNLIMITED)
  laboratory.runtime.activate(0)
  return outcome
}

const goOn = (): void => {}

/** The inside of `pnpm mutation`: a process that holds a rewritten kernel and answers its parent. */
const serve = async (order: Order, send: (message: Survey | TrialAnswer, sent: () => void) => void): Promise<void> => {
  const laboratory = await open(order)
  if (order.task === "survey") return send(survey(laboratory), () => process.disconnect())
  let turns = new Float64Array(0)
  process.on("message", (request: TrialRequest) => {
    if (request.kind === "begin") {
      turns = Float64Array.from(request.turns)
      send({ kind: "ready", fingerprint: laboratory.fingerprint }, goOn)
    } else send(answerTo(laboratory, turns, request), goOn)
  })
}

const [, , order] = process.argv
if (process.send === undefined || order === undefined) {
  process.stderr.write("this file is the inside of `pnpm mutation`; run that\n")
  process.exit(2)
}
await serve(JSON.parse(order) as Order, (message, sent) => void process.send!(message, undefined, {}, sent)).catch(
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`)
    process.exit(1)
  }
)
