import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { outcomeOf, report } from "./outcome.ts"

/**
 * Runs Bitcoin Core's functional tests on `node/bin/bitcoind`. They are no part of this project: LOCKSTEP_FUNCTIONAL
 * names the directory with their runner, `--suite DIR` other scripts for it. Names after these select scripts.
 */

const LAUNCHER = fileURLToPath(new URL("../../bin/bitcoind", import.meta.url))

const directory = process.env["LOCKSTEP_FUNCTIONAL"]
const runner = join(directory ?? "", "run")

const run = (): number => {
  if (directory === undefined || !existsSync(runner)) {
    console.error("LOCKSTEP_FUNCTIONAL names no directory with the runner of the functional tests")
    return 2
  }
  const { error, stdout } = spawnSync(runner, ["--node", LAUNCHER, ...process.argv.slice(2)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 28
  })
  if (error !== undefined) throw error
  process.stdout.write(stdout)
  const outcome = outcomeOf(stdout)
  for (const line of report(outcome)) console.log(line)
  return outcome.unexpected.length === 0 && outcome.passed + outcome.listed.length > 0 ? 0 : 1
}

process.exitCode = run()
