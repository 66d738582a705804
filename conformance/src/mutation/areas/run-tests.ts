import { spawn } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import { REPORT_FILE, type ReportedFile } from "./file-reporter.ts"
import { orderText, TEST_ORDER } from "./test-order.ts"

/** A test file as a run of it found it. */
export interface TestedFile {
  readonly file: string
  readonly milliseconds: number
  /** The first test of it that failed, or that it cannot be loaded; nothing when all passed. */
  readonly failure: string | undefined
}

/** How a run of test files ended. */
export type TestRun =
  | { readonly kind: "ended"; readonly files: ReadonlyArray<TestedFile> }
  | { readonly kind: "out of time" }
  /** It ended without a report. */
  | { readonly kind: "broken"; readonly said: string }

/** What one check has found out, in the directory of the workspace. */
export const CHECKED = "mutation.tsbuildinfo"
const TYPE_CHECK = ["--noEmit", "--pretty", "false", "--incremental", "--tsBuildInfoFile", CHECKED]

const REPORTER = join(import.meta.dirname, "file-reporter.ts")

/** Enough for the errors of a type check. */
const MOST_KEPT = 100_000
const MOST_SAID = 2_000

const readReport = (root: string, path: string, code: number | null): ReadonlyArray<TestedFile> => {
  const reported = JSON.parse(readFileSync(path, "utf8")) as ReadonlyArray<ReportedFile>
  const files = reported.map(({ failure, milliseconds, path: file }) => ({
    file: relative(root, file),
    milliseconds: Math.round(milliseconds),
    failure
  }))
  const [first] = files
  // An error that no test has caught fails the run, but none of its tests.
  if (code === 0 || first === undefined || files.some(({ failure }) => failure !== undefined)) return files
  return [{ ...first, failure: "an error outside of any test" }, ...files.slice(1)]
}

/** A program's end: its exit code and the last of what it said, or nothing when it took longer than `limit`. */
const endOf = (
  command: ReadonlyArray<string>,
  at: { readonly root: string; readonly environment: NodeJS.ProcessEnv; readonly limit: number }
): Promise<{ readonly code: number | null; readonly said: string } | undefined> =>
  new Promise((resolve, reject) => {
    const [program, ...args] = command
    // A group of its own, so that whatever the tests started ends with them.
    const child = spawn(program!, args, {
      cwd: at.root,
      env: at.environment,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const endGroup = (): void => {
      try {
        process.kill(-child.pid!, "SIGKILL")
      } catch {
        // All of it has ended.
      }
    }
    let said = ""
    let isOver = false
    const listen = (chunk: Buffer): void => void (said = (said + chunk.toString()).slice(-MOST_KEPT))
    child.stdout.on("data", listen)
    child.stderr.on("data", listen)
    const timer = setTimeout(() => {
      isOver = true
      endGroup()
    }, at.limit)
    process.once("exit", endGroup)
    child.on("error", reject)
    child.on("close", (code) => {
      clearTimeout(timer)
      process.off("exit", endGroup)
      endGroup()
      resolve(isOver ? undefined : { code, said })
    })
  })

/** Runs tests and the type check in a copy of the workspace. */
export interface TestRunner {
  /** Runs `files` in their order, until the first failure or all of them; `limit` in milliseconds. */
  readonly run: (
    files: ReadonlyArray<string>,
    how: { readonly limit: number; readonly isWhole: boolean }
  ) => Promise<TestRun>
  /** The errors of the type check; none when it passes. */
  readonly typeErrors: (limit: number) => Promise<ReadonlyArray<string>>
}

export const testRunner = (root: string, seed: number): TestRunner => {
  const report = join(root, "mutation-run.json")
  const bin = join(root, "node_modules/.bin")
  const environment = {
    ...process.env,
    LOCKSTEP_SEED: String(seed),
    PATH: `${bin}:${process.env["PATH"]}`,
    NO_COLOR: "1"
  }
  const vitest = [process.execPath, join(root, "node_modules/vitest/vitest.mjs"), "run"]
  return {
    run: async (files, { limit, isWhole }) => {
      rmSync(report, { force: true })
      const options = ["--maxWorkers", "1", "--fsModuleCache", `--reporter=${REPORTER}`]
      const end = await endOf([...vitest, ...files, ...options, ...isWhole ? [] : ["--bail", "1"]], {
        root,
        environment: { ...environment, [TEST_ORDER]: orderText(files), [REPORT_FILE]: report },
        limit
      })
      if (end === undefined) return { kind: "out of time" }
      return existsSync(report)
        ? { kind: "ended", files: readReport(root, report, end.code) }
        : { kind: "broken", said: end.said.slice(-MOST_SAID) }
    },
    typeErrors: async (limit) => {
      const end = await endOf([process.execPath, join(root, "node_modules/typescript/bin/tsc"), ...TYPE_CHECK], {
        root,
        environment,
        limit
      })
      // Taken for a check without error it would make a fault that is no program one that the tests do not notice.
      if (end === undefined) throw new Error(`the type check takes longer than ${limit / 1000} s`)
      if (end.code === 0) return []
      const errors = end.said.split("\n").filter((line) => line.includes("error TS"))
      return errors.length > 0 ? errors : [end.said.split("\n")[0]!]
    }
  }
}
