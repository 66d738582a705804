import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { acquireRelease } from "../finalizers/finalizers.ts"

/** It waits until the other end of its standard input is closed, which the system does however this process ends. */
const WAIT = `trap "" INT TERM HUP; read -r nothing; echo "$0" >&2`

const NOTICE = "node: the process ended suddenly: it was killed, memory ran out, or native code crashed, " +
  "as when a file of its store is changed or cut short from outside. What was committed before is kept; " +
  "the next start examines the store."

/** Lets go of the witness, which then says nothing. */
type Dismiss = () => void

const startWitness = (): Dismiss => {
  // Of a session of its own: Ctrl-C reaches all programs of the terminal.
  const witness = spawn("/bin/sh", ["-c", WAIT, NOTICE], {
    cwd: "/",
    detached: true,
    env: {},
    stdio: ["pipe", "ignore", "inherit"]
  })
  // Without it the node is as good as ever.
  witness.on("error", () => {})
  witness.stdin.on("error", () => {})
  witness.unref()
  const dismiss = (): void => void witness.kill("SIGKILL")
  process.once("exit", dismiss)
  return () => {
    process.off("exit", dismiss)
    dismiss()
  }
}

/**
 * Until the scope closes, a small process beside this one says on standard error when this one ends without a word:
 * both key-value engines map their files, so that one cut short or garbled ends the process inside native code. Who
 * ends the process at once dismisses the witness before.
 */
export const witnessSuddenEnd: Effect.Effect<Dismiss, never, Scope.Scope> = acquireRelease(
  Effect.sync(() => process.platform === "win32" ? (): void => {} : startWitness()),
  (dismiss) => Effect.sync(dismiss)
)
