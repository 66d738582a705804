import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort, PATH_WITH_NODE } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { rpcClient } from "../process/rpc-client.ts"
import { withoutPrivileges } from "../process/without-privileges.ts"

export type ProgramName = "lockstep" | "bitcoind" | "bitcoind -daemonwait" | "bitcoind -daemon"

export const PROGRAMS: ReadonlyArray<ProgramName> = ["lockstep", "bitcoind", "bitcoind -daemonwait"]

/** How a start went. */
export interface Start {
  /** Whether it came to answer calls, after which it was stopped. */
  readonly isReady: boolean
  readonly exitCode: number | null
  readonly stderr: string
  /** What it added to its log: standard output of `lockstep`, `debug.log` of `bitcoind`. */
  readonly log: string
}

type Call = (method: string, ...params: ReadonlyArray<unknown>) => Promise<unknown>

export interface More {
  readonly words?: ReadonlyArray<string>
  /** What bash does with the program and its words, which are `$@`. */
  readonly script?: string
}

/** A data directory with one of the programs, which is run on it with the rights of its files. */
export interface Site {
  readonly data: string
  /** The directory of the chain. */
  readonly own: string
  readonly port: number
  /** Starts the program, does something once it answers, and stops it. */
  readonly run: (use?: (call: Call) => Promise<void>, more?: More) => Promise<Start>
  readonly remove: () => void
}

const BIN = fileURLToPath(new URL("../../bin/", import.meta.url))

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const textAt = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const ENVIRONMENT = {
  NODE_LISTEN_ADDR: "127.0.0.1:0",
  NODE_NETWORK_TARGET_PEER_COUNT: "0",
  LOCKSTEP_COMMAND: "lockstep"
}

interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Started {
  readonly ended: Promise<Ended>
  /** How it ended, once it has. */
  readonly end: () => Ended | undefined
  readonly kill: () => void
}

/** Runs a program for which the rights of files count. */
const started = (program: string, words: ReadonlyArray<string>): Started => {
  const [first, rest] = withoutPrivileges(program, words)
  const env = { ...process.env, ...ENVIRONMENT, PATH: PATH_WITH_NODE }
  const child = spawn(first, rest, { env, stdio: ["ignore", "pipe", "pipe"] })
  let [stdout, stderr] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => void (stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => void (stderr += chunk.toString()))
  let end: Ended | undefined
  const ended = once(child, "close").then(([code]) => (end = { exitCode: code as number | null, stdout, stderr }))
  return { ended, end: () => end, kill: () => void child.kill("SIGKILL") }
}

/** Whether calls are answered at last; not where the process ends before, unless with the status `goesOnAfter`. */
const becomesReady = async (
  { end }: Started,
  isAnswering: () => Promise<boolean>,
  goesOnAfter: number | undefined
): Promise<boolean> => {
  const deadline = Date.now() + patience(STEP_MS)
  for (;;) {
    if (await isAnswering()) return true
    const over = end()
    if (over !== undefined && (goesOnAfter === undefined || over.exitCode !== goesOnAfter)) return false
    if (Date.now() > deadline) throw new Error("neither ready nor ended")
    await pause(30)
  }
}

/** The time that each step of a run has: a program that starts, does what is asked, or stops. */
const STEP_MS = 20_000

const within = async <A>(what: string, step: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not done in time`)), patience(STEP_MS))
  })
  try {
    return await Promise.race([step, late])
  } finally {
    clearTimeout(timer)
  }
}

const killed = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended already.
  }
}

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

const untilGone = async (pid: number): Promise<void> => {
  const deadline = Date.now() + patience(STEP_MS)
  while (!isGone(pid)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} did not end`)
    await pause(30)
  }
}

const pidIn = (own: string): number | undefined => {
  const text = textAt(join(own, "bitcoind.pid")).trim()
  return /^[1-9]\d*$/.test(text) ? Number(text) : undefined
}

/** A site with a data directory that is empty, or begins as a copy of what a stopped program left in another. */
export const makeSite = async (name: ProgramName, origin?: Site): Promise<Site> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-rights-"))
  const [data, port] = [join(root, "data"), await freePort()]
  const own = join(data, "regtest")
  if (origin === undefined) mkdirSync(data)
  else cpSync(origin.data, data, { recursive: true, preserveTimestamps: true })
  const isOurs = name === "lockstep"
  const [, daemon] = name.split(" ")
  const common = isOurs
    ? [
      "start",
      "--network",
      "regtest",
      "--data-dir",
      data,
      "--rpc-addr",
      `127.0.0.1:${port}`,
      "--set",
      "transport_preference=tcponly"
    ]
    : [
      `-datadir=${data}`,
      "-regtest",
      `-rpcport=${port}`,
      "-listen=0",
      "-connect=0",
      ...daemon === undefined ? [] : [daemon]
    ]
  const call: Call = async (method, ...params) => {
    const client = rpcClient(port)
    try {
      const cookie = join(own, ".cookie")
      // To read a FIFO would wait for ever.
      if (!statSync(cookie).isFile()) throw new Error("no cookie yet")
      const credentials = readFileSync(cookie).toString("base64")
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const answer = JSON.parse((await client.post(body, { authorization: `Basic ${credentials}` })).body) as {
        readonly result?: unknown
        readonly error?: { readonly message: string }
      }
      if (answer.error !== undefined) throw new Error(answer.error.message)
      return answer.result
    } finally {
      client.close()
    }
  }
  const isAnswering = (): Promise<boolean> => call("getblockcount").then(() => true, () => false)
  const textOfLog = (): string => textAt(join(own, "debug.log"))
  const run: Site["run"] = async (use, { script, words = [] } = {}) => {
    const before = textOfLog().length
    const typed = [join(BIN, isOurs ? "lockstep" : "bitcoind"), ...common, ...words] as const
    const child = script === undefined
      ? started(typed[0], typed.slice(1))
      : started("bash", ["-c", script, "bash", ...typed])
    try {
      // In the background it answers behind the end of the process that was started.
      const isReady = await becomesReady(child, isAnswering, daemon === undefined ? undefined : 0)
      if (isReady) {
        if (use !== undefined) await within("what is asked of it", use(call))
        const background = daemon === undefined ? undefined : pidIn(own)
        await within("the stop", call("stop"))
        if (background !== undefined) await untilGone(background)
      }
      const { exitCode, stderr, stdout } = await within("the end", child.ended)
      return { isReady, exitCode, stderr, log: isOurs ? stdout : textOfLog().slice(before) }
    } catch (error) {
      child.kill()
      // Behind a script or in the background it is another process.
      const other = pidIn(own)
      if (other !== undefined) killed(other)
      throw error
    }
  }
  return { data, own, port, run, remove: () => rmSync(root, { recursive: true, force: true }) }
}
