import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { acquireRelease } from "../finalizers/finalizers.ts"

/**
 * Shell script of the witness. It reads until its standard input is closed, which the system does however this process
 * ends, and keeps the last line.
 */
const WAIT = `trap "" INT TERM HUP; last=; while IFS= read -r line; do last=$line; done
notice="$0\${last:+ The last error in its log: $last}"
case $1 in
  ?*) printf "%s [error] %s\\n" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$notice" 2> /dev/null >> "$1" && exit ;;
esac
printf "node: %s\\n" "$notice" >&2`

const NOTICE = "the process ended suddenly: it was killed, memory ran out, or native code crashed, " +
  "as when a file of its store is changed or cut short from outside. What was committed before is kept; " +
  "the next start examines the store."

/** Destination of a notice: the end of this file, or standard error. */
export interface CrashNotice {
  readonly file: string | undefined
}

/** A process that outlives this one if this one dies suddenly. */
export interface CrashWitness {
  /** Notes an error that may turn out to be the reason why this process died. */
  readonly note: (error: string) => void
  /** Ends the watch without a report. */
  readonly dismiss: () => void
}

const startWitness = ({ file = "" }: CrashNotice): CrashWitness => {
  // In its own session, because Ctrl-C reaches all programs of the terminal.
  const witness = spawn("/bin/sh", ["-c", WAIT, NOTICE, file], {
    cwd: "/",
    detached: true,
    env: {},
    stdio: ["pipe", "ignore", "inherit"]
  })
  // The node works without it.
  witness.on("error", () => {})
  witness.stdin.on("error", () => {})
  witness.unref()
  const dismiss = (): void => void witness.kill("SIGKILL")
  process.once("exit", dismiss)
  return {
    note: (error) => void witness.stdin.write(`${error.replaceAll(/\s+/g, " ")}\n`),
    dismiss: () => {
      process.off("exit", dismiss)
      dismiss()
    }
  }
}

const NO_WITNESS: CrashWitness = { note: () => {}, dismiss: () => {} }

/**
 * Runs a small process beside this one until the scope closes, which reports if this one dies suddenly. Both key-value
 * engines map their files: a truncated or garbled file kills the process inside native code. lmdb 3.5.6 damages its own
 * memory when it reports a failed write. A caller that ends the process at once dismisses the witness before.
 */
export const crashWitness = (
  notice: CrashNotice = { file: undefined }
): Effect.Effect<CrashWitness, never, Scope.Scope> =>
  acquireRelease(
    Effect.sync(() => process.platform === "win32" ? NO_WITNESS : startWitness(notice)),
    ({ dismiss }) => Effect.sync(dismiss)
  )
