import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { PATH_WITH_NODE } from "../process/node-process.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"

const LAUNCHER = fileURLToPath(new URL("../../bin/bitcoin-cli", import.meta.url))

/** How a run of the client ended. */
export interface ClientRun {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the client with these words, and with this text on its standard input. */
export const runCli = async (words: ReadonlyArray<string>, input = ""): Promise<ClientRun> => {
  const child = endsWithTests(spawn(LAUNCHER, words, {
    env: { ...process.env, PATH: PATH_WITH_NODE },
    stdio: ["pipe", "pipe", "pipe"]
  }))
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk: Buffer) => void (stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => void (stderr += chunk.toString()))
  // A client that wants no input may be gone already.
  child.stdin.on("error", () => {})
  child.stdin.end(input)
  const [exitCode] = await once(child, "close")
  return { exitCode: exitCode as number | null, stdout, stderr }
}
