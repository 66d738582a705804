import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** How often a conformance run saw a rule hold, and how often the kernel named it as broken. */
export interface Coverage {
  readonly accepted: number
  readonly rejected: number
}

const isCount = (value: unknown): value is { readonly id: string } & Coverage =>
  typeof value === "object" && value !== null && "id" in value && typeof value.id === "string" &&
  "accepted" in value && typeof value.accepted === "number" && "rejected" in value && typeof value.rejected === "number"

const isOurs = (suite: unknown): boolean =>
  typeof suite === "object" && suite !== null && "source" in suite && suite.source === "ours"

/**
 * The rule counts of a conformance run's JSON report. A run over more than our own vectors is refused: what it counts
 * depends on the vectors that happen to be at hand.
 */
export const readCoverage = (file: string): ReadonlyMap<string, Coverage> => {
  const report: unknown = JSON.parse(readFileSync(file, "utf8"))
  const rules = typeof report === "object" && report !== null && "rules" in report ? report.rules : undefined
  if (!Array.isArray(rules) || !rules.every(isCount)) {
    throw new Error(`${file}: is no conformance report: "rules" must be a list of { id, accepted, rejected }`)
  }
  const suites = (report as { readonly suites?: unknown }).suites
  if (Array.isArray(suites) && !suites.every(isOurs)) {
    throw new Error(
      `${file}: counts more than our own vectors; leave --report out, or take it from: pnpm conformance --source ours`
    )
  }
  return new Map(rules.map(({ id, accepted, rejected }) => [id, { accepted, rejected }]))
}

/** Runs our own vectors and answers the rule counts of that run. */
export const recordCoverage = async (root: string): Promise<ReadonlyMap<string, Coverage>> => {
  const directory = mkdtempSync(join(tmpdir(), "trace-"))
  const report = join(directory, "report.json")
  try {
    const args = [join(root, "conformance/src/cli.ts"), "--source", "ours", "--json", report]
    const run = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    run.stdout.on("data", (data) => said += String(data))
    run.stderr.on("data", (data) => said += String(data))
    const code = await new Promise<number | null>((resolve, reject) => run.on("close", resolve).on("error", reject))
    if (code !== 0) {
      throw new Error(
        `${said.trim()}\nOur own vectors do not pass, so there is nothing to trace; run: pnpm conformance --source ours`
      )
    }
    return readCoverage(report)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
