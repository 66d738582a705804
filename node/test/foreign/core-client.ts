import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { patience } from "../process/patience.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"

/** What a run of the client ended with. */
export interface Ending {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Whether a command is the client of Bitcoin Core, or of a program made from it, and not this project's. */
const isCore = (command: string): boolean => {
  const { stdout } = spawnSync(command, ["-version"], { encoding: "utf8" })
  return /^Bitcoin \w+ RPC client version/.test(stdout ?? "") && !stdout.includes("Lockstep")
}

/** The real `bitcoin-cli`: the one that an operator names, else the one on PATH; none where there is none. */
export const coreClient = [process.env["LOCKSTEP_BITCOIN_CLI"] ?? "bitcoin-cli"].find(isCore)

/** Runs the client; `input` comes through its standard input. */
export const runCoreClient = async (words: ReadonlyArray<string>, input = ""): Promise<Ending> => {
  const child = endsWithTests(spawn(coreClient!, words, { stdio: ["pipe", "pipe", "pipe"], timeout: patience(60_000) }))
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text))
  child.stdin.on("error", () => undefined).end(input)
  const [exitCode] = await once(child, "close") as [number | null]
  return { exitCode, stdout, stderr }
}
