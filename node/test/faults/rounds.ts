import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkAfterRestart } from "../crash/check.ts"
import { infoOf, type Memory, mine } from "../crash/load.ts"
import { type Random, randomOf } from "../crash/random.ts"
import { type Ending, type RunningNode, startNode } from "../process/node-process.ts"
import { causeOf, type Fault, faultText, randomFault } from "./fault.ts"
import { faultEnvironment, makeFaultLibrary } from "./fault-library.ts"
import {
  copyOfMemory,
  environmentOf,
  makeSample,
  type Sample,
  seriesName,
  type SeriesOptions,
  TOKEN
} from "./sample.ts"
import { armWith, type Scenario, scenariosOf } from "./scenarios.ts"

/** How many rounds of each kind there were. */
export interface Counts {
  rounds: number
  /** The n-th call did not come. */
  missed: number
  /** The process ended well all the same. */
  tolerated: number
  /** The process said what was wrong. */
  reported: number
  /** LMDB's own open, or a write of its own, failed, and its library killed the process. */
  killed: number
  findings: number
}

type Verdict = Exclude<keyof Counts, "rounds" | "findings">

export interface SweepOptions {
  readonly series: SeriesOptions
  readonly rounds: number
  readonly seed: number
  /** Scenarios and faults instead of such by the seed. */
  readonly plan?: ReadonlyArray<readonly [scenario: string, fault: Fault]>
  /** Only scenarios with this in their name. */
  readonly scenario?: string
  /** Goes on behind a round in which something is wrong. */
  readonly keepsGoing?: boolean
  readonly onRound?: (text: string) => void
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const demand = (holds: boolean, message: string): void => {
  if (!holds) throw new Error(message)
}

const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? ""

/** How the process ended is as documented, and its last line names the cause. */
const judgeEnding = (
  { exitCode, signal, stderr, stdout }: Ending,
  fault: Fault,
  happened: string
): Verdict => {
  const said = `exit code ${exitCode}, ${signal}\n${stdout.split("\n").slice(-12).join("\n")}\n${stderr}`
  // lmdb 3.5.6 frees memory twice when an open of its own fails: there is nothing left that could say why.
  if (signal === "SIGSEGV" && /^open .*\.mdb$/m.test(happened)) return "killed"
  const last = lastLine(stderr)
  // It also writes past the end of its message about a failed write when the numbers there are long.
  if ((signal === "SIGSEGV" || signal === "SIGABRT") && /^Write error: /m.test(stderr)) {
    demand(last.startsWith("node: ") && causeOf(fault).test(last), `killed, and the last line has no cause: ${said}`)
    return "killed"
  }
  demand(signal === null, `the process was killed: ${said}`)
  demand(!/internal error|please report|a defect/i.test(`${stdout}${stderr}`), `a defect of ours: ${said}`)
  demand(!/\n\s+at |\\n\s+at /.test(`${stdout}${stderr}`), `a stack trace: ${said}`)
  demand(
    stdout.split("\n").every((line) => !line.includes("{\"time\"") || line.startsWith("{")),
    `a line of the log is not by itself: ${said}`
  )
  if (happened === "" || exitCode === 0) {
    demand(exitCode === 0, `it failed without a fault: ${said}`)
    demand(
      happened !== "" || stderr.split("\n").every((line) => !line.startsWith("node: ")),
      `it complained without a fault: ${said}`
    )
    return happened === "" ? "missed" : "tolerated"
  }
  demand(exitCode === 1, `not an exit code for this: ${said}`)
  demand(last.startsWith("node: ") && causeOf(fault).test(last), `the last line does not name the cause: ${said}`)
  demand(/start|check|free|run|again/i.test(last), `the last line does not say what to do: ${said}`)
  return "reported"
}

/** A rebuild or an import goes on at the start: then it takes until what was acknowledged is there again. */
const untilCaughtUp = async ({ client }: RunningNode, { acknowledged: { hash, work } }: Memory): Promise<void> => {
  for (let tries = 0; tries < 1_000; tries++) {
    const { bestblockhash, chainwork } = await infoOf(client)
    if (bestblockhash === hash || BigInt(`0x${chainwork}`) >= work) return
    await pause(50)
  }
}

/** The fault is gone: the node starts, has everything it acknowledged, and goes on. */
const judgeRestart = async (sample: Sample, directory: string, memory: Memory, random: Random): Promise<void> => {
  const node = await startNode(directory, { args: ["--config", sample.config], token: TOKEN, env: environmentOf() })
  try {
    await untilCaughtUp(node, memory)
    await checkAfterRestart(node, memory, random, sample.clean, sample.indexes)
    await mine(node.client, memory, random, 2)
    await node.client.call("stop")
    const { exitCode, stderr } = await node.ended
    demand(exitCode === 0 && stderr === "", `the stop after the fault: exit code ${exitCode}, ${stderr}`)
  } finally {
    node.signal("SIGKILL")
    await node.ended
    node.client.close()
  }
}

interface Round {
  readonly library: string
  readonly root: string
  readonly sample: Sample
  readonly scenario: Scenario
  readonly random: Random
  readonly fault: Fault
}

const nothingYet = (): Memory => ({ blocks: new Map(), tips: new Set(), acknowledged: { hash: "", work: 0n } })

const runRound = async (
  { fault, library, random, root, sample, scenario }: Round
): Promise<Verdict> => {
  const [directory, armed, report] = [join(root, "data"), join(root, "armed"), join(root, "report")]
  for (const path of [directory, armed, report]) rmSync(path, { recursive: true, force: true })
  const isEmpty = scenario.isEmpty === true
  if (isEmpty) mkdirSync(directory)
  else cpSync(sample.directory, directory, { recursive: true })
  const known = copyOfMemory(sample.memory)
  const memory = isEmpty ? { ...nothingYet(), blocks: known.blocks } : known
  const happened = (): string => existsSync(report) ? readFileSync(report, "utf8").trim() : ""
  const ending = await scenario.run({
    sample,
    directory,
    memory,
    random,
    environment: faultEnvironment(fault, { library, under: directory, armed, report }),
    staysFull: fault.after.length > 0,
    arm: armWith(armed),
    hasHappened: () => happened() !== ""
  })
  const verdict = judgeEnding(ending, fault, happened())
  await judgeRestart(sample, directory, memory, random)
  return verdict
}

/**
 * Rounds on one series, each with a fault of its own. Counts what became of them; throws at the first thing that is
 * wrong.
 */
export const faultRounds = async (
  { keepsGoing = false, onRound, plan, rounds, scenario: part = "", seed, series }: SweepOptions
): Promise<Counts> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-faults-"))
  const random = randomOf(seed)
  const counts: Counts = { rounds: 0, missed: 0, tolerated: 0, reported: 0, killed: 0, findings: 0 }
  const library = makeFaultLibrary(root)
  const sample = await makeSample(join(root, "sample"), series, random)
  const scenarios = scenariosOf(sample).filter(({ name }) => name.includes(part))
  for (let i = 0; i < rounds; i++) {
    const planned = plan?.[i]
    const scenario = scenarios.find(({ name }) => name === planned?.[0]) ?? scenarios[i % scenarios.length]!
    const fault = planned?.[1] ?? randomFault(random)
    const text = `${seriesName(series)}: ${scenario.name}, ${faultText(fault)}`
    counts.rounds++
    try {
      const verdict = await runRound({
        library,
        root,
        sample,
        scenario,
        fault,
        random: randomOf(random.below(2 ** 32))
      })
      counts[verdict]++
      onRound?.(`${text}: ${verdict}`)
    } catch (error) {
      counts.findings++
      const finding = `seed ${seed}, round ${i + 1}, ${text}: ${error instanceof Error ? error.message : String(error)}`
      if (!keepsGoing) throw new Error(`${finding} (data in ${root})`, { cause: error })
      onRound?.(`FINDING: ${finding}`)
    }
  }
  rmSync(root, { recursive: true })
  return counts
}
