import { readFileSync, writeFileSync } from "node:fs"

/** What a reader of Vitest's JSON report needs of one test. */
interface TestResult {
  readonly fullName: string
  readonly status: string
  readonly duration?: number
  readonly failureMessages: ReadonlyArray<string>
}

interface FileResult {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly assertionResults: ReadonlyArray<TestResult>
}

/** Vitest's JSON report, as far as it is read here. */
export interface VitestReport {
  readonly testResults: ReadonlyArray<FileResult>
}

const REASON_LINES = 6

const shorten = (reason: string): string =>
  reason.split("\n").slice(0, REASON_LINES).map((line) => `    ${line.trim()}`).join("\n")

export const readReport = (path: string): VitestReport => JSON.parse(readFileSync(path, "utf8")) as VitestReport

const failedTests = ({ assertionResults }: FileResult): ReadonlyArray<TestResult> =>
  assertionResults.filter(({ status }) => status === "failed")

/** Files with a failed test, and files that could not be loaded. */
const failedFiles = ({ testResults }: VitestReport): ReadonlyArray<FileResult> =>
  testResults.filter((file) => file.status === "failed" || failedTests(file).length > 0)

export const failedFileNames = (report: VitestReport): ReadonlyArray<string> =>
  failedFiles(report).map(({ name }) => name)

/** How many tests passed, failed and were left out. A file that could not be loaded counts as one that failed. */
export const reportCounts = (report: VitestReport): { passed: number; failed: number; skipped: number } => {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { assertionResults } of report.testResults) {
    for (const { status } of assertionResults) {
      if (status === "passed") counts.passed++
      else if (status === "failed") counts.failed++
      else counts.skipped++
    }
  }
  counts.failed += failedFiles(report).filter((file) => failedTests(file).length === 0).length
  return counts
}

/** Each failed test with its reason's first lines: a reader of only the end of a long log must find them there. */
export const failureTexts = (report: VitestReport, root: string): ReadonlyArray<string> =>
  failedFiles(report).flatMap((file) => {
    const path = file.name.replace(root, "")
    const failed = failedTests(file)
    if (failed.length === 0) return [`${path}\n${shorten(file.message)}`]
    return failed.map(({ duration, failureMessages, fullName }) => {
      const seconds = ((duration ?? 0) / 1000).toFixed(1)
      return `${path}: ${fullName} (${seconds} s)\n${shorten(failureMessages.join("\n"))}`
    })
  })

/** Puts the results of a second run of some files in the place of their first ones. */
export const replaceResults = (path: string, again: VitestReport): void => {
  const second = new Map(again.testResults.map((file) => [file.name, file]))
  const report = readReport(path)
  const testResults = report.testResults.map((file) => second.get(file.name) ?? file)
  writeFileSync(path, JSON.stringify({ ...report, testResults }))
}
