import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Ending, PATH_WITH_NODE } from "../process/node-process.ts"

const SOURCE = fileURLToPath(new URL("./under.c", import.meta.url))

/** Exit code of the helper where the machine does not offer what a condition needs. */
const LACKING = 77

/** Compiles the program that runs another one on a machine that lacks something; answers where it is. */
export const makeUnder = (directory: string): string => {
  const program = join(directory, "under")
  const compiler = process.env["CC"] ?? "cc"
  const { error, status, stderr } = spawnSync(compiler, ["-O1", "-o", program, SOURCE], { encoding: "utf8" })
  if (error !== undefined) {
    throw new Error(
      `these tests need a C compiler: ${compiler} cannot be run (${error.message}). Install gcc, or name one in CC.`
    )
  }
  if (status !== 0) throw new Error(`${compiler} cannot compile ${SOURCE}:\n${stderr}`)
  return program
}

const BIN = fileURLToPath(new URL("../../bin/", import.meta.url))

/** Returns why this machine cannot make these conditions, or `undefined` if it can. */
export const lackingFor = (under: string, conditions: ReadonlyArray<string>): string | undefined => {
  const hidden = conditions.map((each) => /^(?:empty|small)=(.*)$/.exec(each)?.[1]).find((path) =>
    path !== undefined && BIN.startsWith(`${path}/`)
  )
  if (hidden !== undefined) return `${hidden} cannot be taken away: this clone is in it`
  const { status, stderr } = spawnSync(under, [...conditions, "--", "true"], { encoding: "utf8" })
  return status === LACKING ? stderr.trim() : undefined
}

export interface UnderOptions {
  readonly under: string
  readonly conditions: ReadonlyArray<string>
  readonly words: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

/** A program that runs under conditions. */
export interface Conditioned {
  readonly pid: number
  readonly ended: Promise<Ending>
  readonly stderr: () => string
}

/** Other nodes are not looked for, and messages name the command as `lockstep`. */
const NEARBY = { NODE_LISTEN_ADDR: "127.0.0.1:0", NODE_NETWORK_TARGET_PEER_COUNT: "0", LOCKSTEP_COMMAND: "lockstep" }

const running = new Set<ReturnType<typeof spawn>>()

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

/** Runs a program of `node/bin` with these words under conditions, of which later ones build on earlier ones. */
export const runUnder = ({ conditions, env, under, words: [program = "", ...words] }: UnderOptions): Conditioned => {
  const child = spawn(under, [...conditions, "--", join(BIN, program), ...words], {
    env: { ...NEARBY, ...process.env, PATH: PATH_WITH_NODE, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  running.add(child)
  let [stdout, stderr] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => void (stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => void (stderr += chunk.toString()))
  const ended = once(child, "close").then(([exitCode, signal]): Ending => {
    running.delete(child)
    return { exitCode: exitCode as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr }
  })
  return { pid: child.pid!, ended, stderr: () => stderr }
}
