import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

/**
 * README's test command: every check in turn, each as its own process, then one line with the sum. A step that reports
 * counts adds them; any other counts as one check. Later steps run also when an earlier one fails.
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
    report: vitestCounts
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

const total = { passed: 0, failed: 0, skipped: 0 }
const lines: Array<string> = []
for (const step of STEPS) {
  process.stdout.write(`\n── ${step.name}\n`)
  const start = Date.now()
  const [program, ...args] = step.command
  const { status } = spawnSync(program!, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
  const counts = countsOf(step, status ?? 1)
  total.passed += counts.passed
  total.failed += counts.failed
  total.skipped += counts.skipped
  const seconds = ((Date.now() - start) / 1000).toFixed(1).padStart(6)
  lines.push(`${counts.failed === 0 ? "pass" : "FAIL"} ${seconds} s  ${step.name}: ${counts.passed} passed, ${counts.failed} failed`)
}

const skipped = total.skipped === 0 ? "" : `, ${total.skipped} skipped`
process.stdout.write(`\n${lines.join("\n")}\n\n${total.passed} passed, ${total.failed} failed${skipped}\n`)
process.exitCode = total.failed === 0 ? 0 : 1
