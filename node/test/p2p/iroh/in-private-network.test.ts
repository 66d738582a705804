import { assert, describe, it } from "vitest"
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { systemProgram } from "../../../src/modules/sandbox/confinement.ts"
import { patience } from "../../process/patience.ts"
import { bindingFault } from "./binding-fault.ts"
import { isPrivateNetwork, PRIVATE } from "./private-network.ts"
import { endsWithTests } from "../../process/ends-with-tests.ts"

const ROOT = join(import.meta.dirname, "../../../..")
const VITEST = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs")

const BUBBLEWRAP = systemProgram("bwrap") ?? "bwrap"

/** A network namespace with the loopback interface alone. */
const PRIVATELY = ["--dev-bind", "/", "/", "--unshare-net", "--die-with-parent", "--"]

const FILES = ["iroh", "two-nodes", "gossip"].map((name) => `node/test/p2p/iroh/${name}.test.ts`)

const hasNetworks = spawnSync(BUBBLEWRAP, [...PRIVATELY, "true"]).status === 0
const untried = hasNetworks ? bindingFault : "bwrap cannot make a network here"

/** For a file with real nodes, one test after another. */
const WHOLE_FILE_MS = patience(600_000)

interface Report {
  readonly success: boolean
  readonly numPassedTests: number
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly fullName: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

const run = async (file: string): Promise<Report> => {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-private-"))
  const output = join(directory, "report.json")
  const args = [...PRIVATELY, process.execPath, VITEST, "run", file, "--reporter=json", `--outputFile=${output}`]
  const child = endsWithTests(
    spawn(BUBBLEWRAP, args, { cwd: ROOT, env: { ...process.env, [PRIVATE]: "1" }, stdio: "ignore" })
  )
  await new Promise((resolve) => child.once("exit", resolve))
  const report = JSON.parse(readFileSync(output, "utf8")) as Report
  rmSync(directory, { recursive: true, force: true })
  return report
}

const faultsOf = ({ testResults }: Report): string =>
  testResults.flatMap(({ assertionResults, message }) => [
    message,
    ...assertionResults.flatMap(({ failureMessages, fullName, status }) =>
      status === "passed" ? [] : [`${status}: ${fullName}`, ...failureMessages]
    )
  ]).join("\n").trim()

describe.runIf(!isPrivateNetwork && untried === undefined)(
  `nodes over Iroh, with nothing but the loopback interface${untried === undefined ? "" : ` (not tried: ${untried})`}`,
  () => {
    for (const file of FILES) {
      it(`${file} passes`, async () => {
        const report = await run(file)
        assert.strictEqual(faultsOf(report), "")
        assert.isTrue(report.success)
        assert.isAbove(report.numPassedTests, 0)
      }, WHOLE_FILE_MS)
    }
  }
)
