import type { RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readTests } from "../trace/tests.ts"
import { RUN_PNPM, WORKSPACE } from "../workspace.ts"
import { print } from "./print.ts"

/** What became of the property tests of a rule. */
export interface PropertyTotal {
  readonly passed: number
  readonly failed: number
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly fullName: string
      readonly status: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

const REASON_LINES = 8

const reasonOf = (text: string): string =>
  text.split("\n").slice(0, REASON_LINES).map((line) => `  ${line.trim()}`).join("\n")

const printFailure = (title: string, reason: string, file: string, id: RuleId): void => {
  print(`\nFAILED properties  ${title}`)
  print(reasonOf(reason))
  print(`  again     ${RUN_PNPM} exec vitest run ${file} -t ${id}/P`)
}

const counted = ({ testResults }: Report, id: RuleId): PropertyTotal => {
  let passed = 0
  let failed = 0
  for (const { assertionResults, message, name, status } of testResults) {
    const file = name.replace(`${WORKSPACE}/`, "")
    const own = assertionResults.filter(({ fullName }) => fullName.includes(`${id}/P`))
    for (const { failureMessages, fullName, status: outcome } of own) {
      if (outcome === "passed") passed++
      if (outcome !== "failed") continue
      failed++
      printFailure(fullName, failureMessages[0] ?? "", file, id)
    }
    // A file that does not load has no tests to report.
    if (status === "failed" && assertionResults.length === 0) {
      failed++
      printFailure(file, message, file, id)
    }
  }
  return { passed, failed }
}

/** Runs the property tests of a rule, prints those that fail, and counts them. */
export const runProperties = (id: RuleId): PropertyTotal => {
  const files = new Set(
    readTests(WORKSPACE).properties.filter((test) => test.id.startsWith(`${id}/P`)).map(({ file }) => file)
  )
  if (files.size === 0) return { passed: 0, failed: 0 }
  const directory = mkdtempSync(join(tmpdir(), "lockstep-properties-"))
  const report = join(directory, "report.json")
  try {
    const vitest = join(WORKSPACE, "node_modules/vitest/vitest.mjs")
    const args = [vitest, "run", ...files, "-t", `${id}/P`, "--reporter=json", `--outputFile.json=${report}`]
    const { stderr } = spawnSync(process.execPath, args, { cwd: WORKSPACE, encoding: "utf8" })
    try {
      return counted(JSON.parse(readFileSync(report, "utf8")) as Report, id)
    } catch {
      print(`\nFAILED properties  vitest made no report\n${reasonOf(stderr)}`)
      return { passed: 0, failed: 1 }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
