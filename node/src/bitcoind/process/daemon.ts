import { type ChildProcess, spawn } from "node:child_process"
import { holdsBytes } from "../../bytes/byte-text.ts"
import { variablesOfWords } from "../../bytes/process-words.ts"
import { environment } from "../../cli/environment.ts"

/** Set in the process that goes on in the background. */
const MARK = "LOCKSTEP_DAEMON"

export const isDaemon = (): boolean => environment[MARK] !== undefined

/** Signals the process that waits that the start is over, which ends it. */
export const notifyStarted = (): void => {
  if (!isDaemon() || process.send === undefined) return
  process.send("started", () => process.disconnect())
}

const FAILED = "Error during initialization - check debug.log for details"

const untilStarted = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    child.once("message", () => resolve(0))
    child.once("exit", () => {
      process.stderr.write(`${FAILED}\n`)
      resolve(1)
    })
  })

/** Runs this program again with the words it was given, in the background and in a session of its own; answers the exit code of this process. */
export const startDaemon = async (given: ReadonlyArray<string>, waits: boolean): Promise<number> => {
  process.stdout.write("Bitcoin Core starting\n")
  const [program, ...words] = process.argv.slice(1)
  const variables = given.some(holdsBytes) ? variablesOfWords(given) : {}
  const child = spawn(process.execPath, [...process.execArgv, program!, ...words], {
    detached: true,
    stdio: ["ignore", "ignore", "ignore", ...(waits ? ["ipc" as const] : [])],
    env: { ...environment, ...variables, [MARK]: "1", LOCKSTEP_PROGRAM: "bitcoind" }
  })
  const exitCode = waits ? await untilStarted(child) : 0
  child.unref()
  if (child.connected) child.disconnect()
  return exitCode
}
