import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

/**
 * README's test command: every check in turn, each as its own process, then what failed by name and one line with the sum.
 * A step that reports counts adds them; any other counts as one check. Later steps run also when an earlier one fails.
 */

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}
interface Step {
  readonly name: string
  readonly command: ReadonlyArray<string>
  /** Reads the step's own report; without one the exit code is the only count. */
  readonly report?: () => Counts
  /** The cases that failed, each with its reason's first lines: a reader of only the end of a long log must find them there. */
  readonly failures?: () => ReadonlyArray<string>
}

const root = fileURLToPath(new URL("..", import.meta.url))
const reports = `${root}reports`
rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

const read = (file: string): unknown => JSON.parse(readFileSync(`${reports}/${file}`, "utf8"))

const vitestCounts = (): Counts => {
  const report = read("vitest.json") as { numPassedTests: number; numFailedTests: number; numPendingTests: number; numTodoTests: number }
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests
  }
}

interface VitestReport {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly fullName: string
      readonly status: string
      readonly duration?: number
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

const REASON_LINES = 6
const shorten = (reason: string): string =>
  reason
    .split("\n")
    .slice(0, REASON_LINES)
    .map((line) => `    ${line.trim()}`)
    .join("\n")

const vitestFailures = (): ReadonlyArray<string> =>
  (read("vitest.json") as VitestReport).testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.replace(root, "")
    const failed = assertionResults.filter((test) => test.status === "failed")
    // A file that fails without a failed test could not be loaded.
    if (failed.length === 0) return status === "failed" ? [`${file}\n${shorten(message)}`] : []
    return failed.map((test) => {
      const seconds = ((test.duration ?? 0) / 1000).toFixed(1)
      return `${file}: ${test.fullName} (${seconds} s)\n${shorten(test.failureMessages.join("\n"))}`
    })
  })

const conformanceCounts = (file: string) => (): Counts => {
  const { suites } = read(file) as { suites: ReadonlyArray<Counts> }
  const sum = (key: keyof Counts): number => suites.reduce((total, suite) => total + suite[key], 0)
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") }
}

const fuzzSeconds = process.env["CI"] === undefined ? "15" : "60"
const node = (...args: ReadonlyArray<string>): ReadonlyArray<string> => ["node", ...args]

const STEPS: ReadonlyArray<Step> = [
  { name: "generated files", command: node("conformance/src/trace/generate.ts", "--check") },
  { name: "type check", command: ["tsc", "--noEmit"] },
  { name: "lint", command: ["oxlint", "--deny-warnings"] },
  { name: "foreign programs", command: node("node/test/foreign/install.ts") },
  {
    name: "unit and property tests",
    command: ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${reports}/vitest.json`],
    report: vitestCounts,
    failures: vitestFailures
  },
  {
    name: "conformance",
    command: node("conformance/src/cli.ts", "--json", `${reports}/conformance.json`),
    report: conformanceCounts("conformance.json")
  },
  {
    name: "conformance on the reference crypto",
    command: node("conformance/src/cli.ts", "--provider", "noble", "--small", "--json", `${reports}/conformance-noble.json`),
    report: conformanceCounts("conformance-noble.json")
  },
  {
    name: "trace",
    command: node("conformance/src/trace/cli.ts", "--check", "--tests", `${reports}/vitest.json`)
  },
  { name: "fuzz", command: node("scripts/fuzz.ts", "--target", "all", "--seconds", fuzzSeconds) }
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

const total = { passed: 0, failed: 0, skipped: 0 }
const lines: Array<string> = []
const failures: Array<string> = []
for (const step of STEPS) {
  process.stdout.write(`\n── ${step.name}\n`)
  const start = Date.now()
  const [program, ...args] = step.command
  const { status } = spawnSync(program!, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
  const counts = countsOf(step, status ?? 1)
  total.passed += counts.passed
  total.failed += counts.failed
  total.skipped += counts.skipped
  if (counts.failed > 0) failures.push(...failuresOf(step))
  const seconds = ((Date.now() - start) / 1000).toFixed(1).padStart(6)
  lines.push(`${counts.failed === 0 ? "pass" : "FAIL"} ${seconds} s  ${step.name}: ${counts.passed} passed, ${counts.failed} failed`)
}

const skipped = total.skipped === 0 ? "" : `, ${total.skipped} skipped`
if (failures.length > 0) process.stdout.write(`\n── failed\n${failures.join("\n")}\n`)
process.stdout.write(`\n${lines.join("\n")}\n\n${total.passed} passed, ${total.failed} failed${skipped}\n`)
process.exitCode = total.failed === 0 ? 0 : 1
