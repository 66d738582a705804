import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { patience } from "../process/patience.ts"

/** Where the programs are, and how long getting them may take. */
const DIRECTORY = fileURLToPath(new URL("programs/", import.meta.url))
const LIMIT_MS = patience(300_000)

/** Whether the programs are here. */
export const areInstalled = ["bcoin", "bitcoin", "insight-api", "zeromq"].every((name) =>
  existsSync(`${DIRECTORY}node_modules/${name}/package.json`)
)

/**
 * Installs what the lock file says, without running anything of it. Where the registry cannot be reached, the tests are
 * left out.
 */
const install = (): string => {
  const { status } = spawnSync("npm", ["ci", "--loglevel=error"], {
    cwd: DIRECTORY,
    stdio: ["ignore", "ignore", "inherit"],
    timeout: LIMIT_MS
  })
  if (status === 0) return "installed"
  return "not installed, so their tests are left out; is the registry of npm within reach?"
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`foreign programs: ${areInstalled ? "here" : install()}\n`)
}
