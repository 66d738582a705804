import { writeFileSync } from "node:fs"
import type { Reporter, TestModule } from "vitest/node"

/** Names the variable of the environment that says where the report is written. */
export const REPORT_FILE = "LOCKSTEP_MUTATION_REPORT"

/** A test file as a run of it found it. */
export interface ReportedFile {
  readonly path: string
  /** Of all it took: loading it, what runs before its tests and behind them, and the tests. */
  readonly milliseconds: number
  /** The first test of it that failed, or that it cannot be loaded; nothing when all passed or it was not begun. */
  readonly failure: string | undefined
}

const failureOf = (file: TestModule): string | undefined => {
  for (const test of file.children.allTests("failed")) return test.fullName
  if (file.errors().length > 0) return "cannot be loaded"
  for (const suite of file.children.allSuites()) {
    if (suite.errors().length > 0) return `${suite.fullName}: what runs before its tests or behind them`
  }
  return undefined
}

const reported = (file: TestModule): ReportedFile => {
  const { collectDuration, duration, setupDuration } = file.diagnostic()
  return { path: file.moduleId, milliseconds: collectDuration + setupDuration + duration, failure: failureOf(file) }
}

/**
 * Writes what became of each test file. Vitest's own report leaves out what runs before the tests, which is most of the time
 * where a file starts a node or builds a module first.
 *
 * @public
 */
// oxlint-disable-next-line import/no-default-export -- Vitest loads a reporter by it.
export default class FileReporter implements Reporter {
  onTestRunEnd(files: ReadonlyArray<TestModule>): void {
    writeFileSync(process.env[REPORT_FILE]!, JSON.stringify(files.map(reported)))
  }
}
