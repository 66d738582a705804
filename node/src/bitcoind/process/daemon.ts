import { type ChildProcess, spawn } from "node:child_process"
import type { Writable } from "node:stream"
import { shownBytes } from "../../bytes/byte-path.ts"
import { holdsBytes } from "../../bytes/byte-text.ts"
import { variablesOfWords } from "../../bytes/process-words.ts"
import { environment } from "../../cli/environment.ts"
import { readSoFar, takeOver } from "./handed-over.ts"

/** Set in the process that goes on in the background. */
const MARK = "LOCKSTEP_DAEMON"

export const isDaemon = (): boolean => environment[MARK] !== undefined

/** What the process that waits is told: that the start is over, or why there is none. */
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

/** Signals the process that waits that the start is over, which ends it. */
export const notifyStarted = (): void => void tell({ failures: [] })

/** Has the process that waits say why there is no start: this one has no standard error any more. */
export const notifyFailed = (failures: ReadonlyArray<string>): Promise<void> => tell({ failures })

/** Where the process in the background reads the configuration that this one has read. */
const CONFIGURATION = 3

/** Takes over what the process before this one has read. */
export const beginDaemon = (): void => {
  if (!isDaemon()) return
  try {
    takeOver(CONFIGURATION)
  } catch {
    // The variable was set by hand: the configuration is read as always.
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
      // A node that has started may stop before this process has ended.
      child.off("exit", failed)
      resolve(0)
    })
  })

const handOver = async (pipe: Writable): Promise<void> => {
  // A process that has ended already says itself why.
  pipe.on("error", () => {})
  pipe.end(readSoFar())
  await new Promise<void>((resolve) => {
    pipe.once("finish", resolve)
    pipe.once("close", resolve)
  })
  pipe.destroy()
}

/** Runs this program again with the words it was given, in the background and in a session of its own; answers the exit code of this process. */
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
