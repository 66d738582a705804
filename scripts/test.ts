import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { changedLately } from "../conformance/src/suite/changed-lately.ts"
import { failedFileNames, failureTexts, readReport, replaceResults, reportCounts } from "./vitest-report.ts"

/**
 * README's test command: every check as its own process, then what failed by name and one line with the sum. Steps run
 * one after the other, but for those that keep one processor busy each: they run side by side. A step that reports counts
 * adds them; any other counts as one check. Later steps run also when an earlier one fails.
 */

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}
interface Step {
  readonly name: string
  readonly command: ReadonlyArray<string>
  /** Tries once more what failed, and answers how that ended. */
  readonly again?: () => Promise<Again>
  /** Reads the step's own report; without one the exit code is the only count. */
  readonly report?: () => Counts
  /** The cases that failed, each with its reason's first lines. */
  readonly failures?: () => ReadonlyArray<string>
}
interface Again {
  readonly exitCode: number
  /** The cases that passed only then, each with the reason why it failed at first. */
  readonly passedThen: ReadonlyArray<string>
}

const root = fileURLToPath(new URL("..", import.meta.url))
const reports = `${root}reports`
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

/** Runs a command to its end; `print` takes what it writes, at once where nothing is given. */
const run = async (
  [program, ...args]: ReadonlyArray<string>,
  print?: (text: Uint8Array) => void
): Promise<number> => {
  const output = print === undefined ? "inherit" : "pipe"
  const child = spawn(program!, args, { cwd: root, stdio: ["ignore", output, output] })
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes: Uint8Array) => print?.(bytes))
  const [exitCode] = await once(child, "close").catch(() => [1])
  return (exitCode as number | null) ?? 1
}

const vitestReport = `${reports}/vitest.json`
const vitest = (report: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => [
  "vitest",
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
  ...args
]
const vitestFailures = (): ReadonlyArray<string> => failureTexts(readReport(vitestReport), root)

/** Names the test that failed, without the time it took. */
const titleOf = (failure: string): string => failure.split("\n")[0]!.replace(/ \([\d.]+ s\)$/u, "")

/** More files than this are no accident of a busy machine. */
const MOST_FILES_AGAIN = 8
const NOT_AGAIN: Again = { exitCode: 1, passedThen: [] }

/**
 * Runs the few files that failed once more, one at a time. The seed is the same, so that a wrong answer fails again. What
 * passes now had too little time, or was disturbed by another file, and is named at the end.
 */
const vitestAgain = async (): Promise<Again> => {
  const files = failedFileNames(readReport(vitestReport))
  if (files.length === 0 || files.length > MOST_FILES_AGAIN) return NOT_AGAIN
  process.stdout.write("\n── unit and property tests, the files that failed once more\n")
  const before = vitestFailures()
  const second = `${reports}/vitest-again.json`
  const exitCode = await run(vitest(second, "--maxWorkers=1", "--isolate", ...files))
  replaceResults(vitestReport, readReport(second))
  const still = new Set(vitestFailures().map(titleOf))
  return { exitCode, passedThen: before.filter((failure) => !still.has(titleOf(failure))) }
}

const conformanceCounts = (file: string) => (): Counts => {
  const { suites } = JSON.parse(readFileSync(`${reports}/${file}`, "utf8")) as { suites: ReadonlyArray<Counts> }
  const sum = (key: keyof Counts): number => suites.reduce((total, suite) => total + suite[key], 0)
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") }
}

/** In CI the same commit has the same answer. A developer's run, and `pnpm fuzz`, try new inputs each time. */
const CI_SEED = "20261122"
const inCi = process.env["CI"] !== undefined
if (inCi) process.env["LOCKSTEP_SEED"] ??= CI_SEED
// Programs that tests start from their sources compile them once for all.
process.env["NODE_COMPILE_CACHE"] ??= `${root}.cache/compiled`
/** A change of the primitives calls for the second provider and long fuzzing for so long; every night does as well. */
const CRYPTO_DAYS = 3
const isThorough = process.env["LOCKSTEP_NIGHTLY"] === "1" || changedLately(root, "crypto", CRYPTO_DAYS)
const fuzzing = ["--seconds", isThorough ? "40" : "15", ...inCi ? ["--seed", CI_SEED] : []]

const node = (...args: ReadonlyArray<string>): ReadonlyArray<string> => ["node", ...args]

const REFERENCE_CRYPTO: Step = {
  name: "conformance on the reference crypto",
  command: node(
    "conformance/src/cli.ts",
    "--provider",
    "noble",
    "--small",
    "--json",
    `${reports}/conformance-noble.json`
  ),
  report: conformanceCounts("conformance-noble.json")
}

/** Steps of one list run side by side, and print what they say one after the other. */
const STEPS: ReadonlyArray<Step | ReadonlyArray<Step>> = [
  { name: "generated files", command: node("conformance/src/trace/generate.ts", "--check") },
  { name: "type check", command: ["tsc", "--noEmit"] },
  { name: "lint", command: ["oxlint", "--deny-warnings"] },
  { name: "format", command: ["dprint", "check"] },
  { name: "unused files, exports and dependencies", command: ["knip", "--no-progress"] },
  { name: "foreign programs", command: node("node/test/foreign/install.ts") },
  {
    name: "unit and property tests",
    command: vitest(vitestReport),
    again: vitestAgain,
    report: () => reportCounts(readReport(vitestReport)),
    failures: vitestFailures
  },
  {
    name: "conformance",
    command: node("conformance/src/cli.ts", "--json", `${reports}/conformance.json`),
    report: conformanceCounts("conformance.json")
  },
  { name: "trace", command: node("conformance/src/trace/cli.ts", "--check", "--tests", vitestReport) },
  [
    ...isThorough ? [REFERENCE_CRYPTO] : [],
    { name: "fuzz", command: node("scripts/fuzz.ts", "--target", "all", ...fuzzing) }
  ]
]

const countsOf = (step: Step, exitCode: number): Counts => {
  const fallback = { passed: exitCode === 0 ? 1 : 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 }
  if (step.report === undefined) return fallback
  try {
    const counts = step.report()
    // A step that ends badly although all its cases passed (a missing file, a crash at exit) must still fail the run.
    return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}

const failuresOf = (step: Step): ReadonlyArray<string> => {
  try {
    return step.failures?.() ?? []
  } catch {
    // No readable report: the step's own output is all there is.
    return []
  }
}

const againOf = async (step: Step): Promise<Again> => {
  try {
    return (await step.again?.()) ?? NOT_AGAIN
  } catch {
    return NOT_AGAIN
  }
}

const total = { passed: 0, failed: 0, skipped: 0 }
const lines: Array<string> = []
const failures: Array<string> = []
const passedThen: Array<string> = []

const take = async (step: Step, print?: (text: Uint8Array) => void): Promise<void> => {
  const start = Date.now()
  let exitCode = await run(step.command, print)
  if (exitCode !== 0 && step.again !== undefined) {
    const again = await againOf(step)
    exitCode = again.exitCode
    passedThen.push(...again.passedThen)
  }
  const counts = countsOf(step, exitCode)
  total.passed += counts.passed
  total.failed += counts.failed
  total.skipped += counts.skipped
  if (counts.failed > 0) failures.push(...failuresOf(step))
  const seconds = ((Date.now() - start) / 1000).toFixed(1).padStart(6)
  const word = counts.failed === 0 ? "pass" : "FAIL"
  lines.push(`${word} ${seconds} s  ${step.name}: ${counts.passed} passed, ${counts.failed} failed`)
}

const takeSideBySide = async (steps: ReadonlyArray<Step>): Promise<void> => {
  const said = steps.map((): Array<Uint8Array> => [])
  await Promise.all(steps.map((step, i) => take(step, (text) => void said[i]!.push(text))))
  for (const [i, { name }] of steps.entries()) {
    process.stdout.write(`\n── ${name}\n`)
    process.stdout.write(Buffer.concat(said[i]!))
  }
}

for (const step of STEPS) {
  if ("name" in step) {
    process.stdout.write(`\n── ${step.name}\n`)
    await take(step)
  } else {
    await takeSideBySide(step)
  }
}

const skipped = total.skipped === 0 ? "" : `, ${total.skipped} skipped`
if (passedThen.length > 0) process.stdout.write(`\n── passed only the second time\n${passedThen.join("\n")}\n`)
if (failures.length > 0) process.stdout.write(`\n── failed\n${failures.join("\n")}\n`)
process.stdout.write(`\n${lines.join("\n")}\n\n${total.passed} passed, ${total.failed} failed${skipped}\n`)
process.exitCode = total.failed === 0 ? 0 : 1
