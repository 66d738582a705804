import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Ending, freePort, type NodeProcess, PATH_WITH_NODE } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { withoutPrivileges } from "../process/without-privileges.ts"
import { rpcClient } from "../process/rpc-client.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"

const LAUNCHER = fileURLToPath(new URL("../../bin/bitcoind", import.meta.url))

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Waits until something holds. */
export const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + patience(90_000)
  while (!await holds()) {
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`)
    await pause(50)
  }
}

/** Runs the program with these words; the rights of files count for it, also where root runs the tests. */
export const runBitcoind = (words: ReadonlyArray<string>): NodeProcess => {
  const child = endsWithTests(spawn(...withoutPrivileges(LAUNCHER, words), {
    env: { ...process.env, PATH: PATH_WITH_NODE },
    stdio: ["ignore", "pipe", "pipe"]
  }))
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk: Buffer) => void (stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => void (stderr += chunk.toString()))
  const ended = once(child, "close").then(([exitCode, signal]): Ending => {
    return { exitCode: exitCode as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr }
  })
  return {
    ended,
    pid: child.pid!,
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (signal) => void child.kill(signal)
  }
}

/** What a call is answered with. */
interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** A data directory and a port, in which the program is run as tools run Bitcoin Core's. */
export interface Place {
  readonly base: string
  /** The directory of the chain. */
  readonly directory: string
  /** Where calls are answered. */
  readonly port: number
  /** Words that name the place. */
  readonly common: ReadonlyArray<string>
  /** Runs the program with these words beside those of the place. */
  readonly start: (...words: ReadonlyArray<string>) => { readonly ended: Promise<Ending>; readonly pid: number }
  readonly signal: (pid: number, signal: NodeJS.Signals) => void
  readonly call: (method: string, ...params: ReadonlyArray<unknown>) => Promise<unknown>
  /** The whole answer to a call, an error too. */
  readonly answer: (method: string, ...params: ReadonlyArray<unknown>) => Promise<Answer>
  /** Waits until calls about the chain are answered. */
  readonly ready: () => Promise<void>
  readonly debugLog: () => string
  readonly remove: () => void
}

export const makePlace = async (): Promise<Place> => {
  const home = mkdtempSync(join(tmpdir(), "lockstep-bitcoind-"))
  const base = join(home, "data")
  const directory = join(base, "regtest")
  mkdirSync(base)
  const port = await freePort()
  const common = [`-datadir=${base}`, "-regtest", `-rpcport=${port}`]
  const start: Place["start"] = (...words) => runBitcoind([...common, "-connect=0", "-listen=0", ...words])
  const answer: Place["answer"] = async (method, ...params) => {
    const client = rpcClient(port)
    try {
      const cookie = Buffer.from(readFileSync(join(directory, ".cookie"))).toString("base64")
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      return JSON.parse((await client.post(body, { authorization: `Basic ${cookie}` })).body) as Answer
    } finally {
      client.close()
    }
  }
  const call: Place["call"] = async (method, ...params) => {
    const { error, result } = await answer(method, ...params)
    if (error !== undefined) throw new Error(error.message)
    return result
  }
  return {
    base,
    directory,
    port,
    common,
    start,
    signal: (pid, signal) => void process.kill(pid, signal),
    call,
    answer,
    ready: () =>
      until("the node answers", async () => {
        try {
          await call("getblockcount")
          return true
        } catch {
          return false
        }
      }),
    debugLog: () => existsSync(join(directory, "debug.log")) ? readFileSync(join(directory, "debug.log"), "utf8") : "",
    remove: () => rmSync(home, { recursive: true, force: true })
  }
}
