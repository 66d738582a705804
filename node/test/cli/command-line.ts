import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { CACHE, PATH_WITH_NODE } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"

const LAUNCHER = fileURLToPath(new URL("../../bin/node", import.meta.url))

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the real launcher as a process of its own in `directory`, which is its home as well. */
export const runNodeIn = (
  directory: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = endsWithTests(spawn(LAUNCHER, args, {
      cwd: directory,
      env: {
        HOME: directory,
        PATH: PATH_WITH_NODE,
        XDG_CACHE_HOME: CACHE,
        LOCKSTEP_COMMAND: "lockstep",
        ...environment
      },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: patience(90_000)
    }))
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (chunk: Buffer) => void (stdout += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => void (stderr += chunk.toString()))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })

/** Uses a fresh directory, which is gone afterwards. */
export const inDirectory = async <A>(use: (directory: string) => Promise<A>): Promise<A> => {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-cli-"))
  try {
    return await use(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
