import { type ChildProcess, spawn } from "node:child_process"
import type { Writable } from "node:stream"
import { shownBytes } from "../../bytes/byte-path.ts"
import { holdsBytes } from "../../bytes/byte-text.ts"
import { variablesOfWords } from "../../bytes/process-words.ts"
import { environment } from "../../cli/environment.ts"
import { readSoFar, takeOver } from "./handed-over.ts"

/** Variable that is set in the background process. */
const MARK = "LOCKSTEP_DAEMON"

export const isDaemon = (): boolean => environment[MARK] !== undefined

/** Message to the waiting process: the start has finished, or why it failed. */
interface Outcome {
  readonly failures: ReadonlyArray<string>
}

const tell = (outcome: Outcome): Promise<void> =>
  new Promise((resolve) => {
    if (!isDaemon() || process.send === undefined || !process.connected) return resolve()
    process.send(outcome, () => {
      process.disconnect()
      resolve()
    })
  })

/** Signals the waiting process that the start has finished, which ends that process. */
export const notifyStarted = (): void => void tell({ failures: [] })

/** Makes the waiting process report why the start failed, since the background process has no standard error. */
export const notifyFailed = (failures: ReadonlyArray<string>): Promise<void> => tell({ failures })

/** Descriptor from which the background process reads the configuration that the waiting process has read. */
const CONFIGURATION = 3

/** Takes over the configuration that the parent process has read. */
export const beginDaemon = (): void => {
  if (!isDaemon()) return
  try {
    takeOver(CONFIGURATION)
  } catch {
    // The variable was set by hand: the configuration is read as usual.
  }
}

const FAILED = "Error during initialization - check debug.log for details"

const untilStarted = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    const failed = (): void => {
      process.stderr.write(`${FAILED}\n`)
      resolve(1)
    }
    child.once("exit", failed)
    child.once("message", ({ failures }: Outcome) => {
      for (const failure of failures) process.stderr.write(shownBytes(failure))
      if (failures.length > 0) return
      // A started node may stop before this process has ended.
      child.off("exit", failed)
      resolve(0)
    })
  })

const handOver = async (pipe: Writable): Promise<void> => {
  // A process that has already ended reports the reason itself.
  pipe.on("error", () => {})
  pipe.end(readSoFar())
  await new Promise<void>((resolve) => {
    pipe.once("finish", resolve)
    pipe.once("close", resolve)
  })
  pipe.destroy()
}

/**
 * Runs this program again with the same words, in the background and in its own session. Returns the exit code of this
 * process.
 */
export const startDaemon = async (given: ReadonlyArray<string>, waits: boolean): Promise<number> => {
  process.stdout.write("Bitcoin Core starting\n")
  const [program, ...words] = process.argv.slice(1)
  const variables = given.some(holdsBytes) ? variablesOfWords(given) : {}
  const child = spawn(process.execPath, [...process.execArgv, program!, ...words], {
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe", ...(waits ? ["ipc" as const] : [])],
    env: { ...environment, ...variables, [MARK]: "1", LOCKSTEP_PROGRAM: "bitcoind" }
  })
  const outcome = waits ? untilStarted(child) : Promise.resolve(0)
  await handOver(child.stdio[CONFIGURATION] as Writable)
  const exitCode = await outcome
  child.unref()
  if (child.connected) child.disconnect()
  return exitCode
}
