import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { acquireRelease } from "../finalizers/finalizers.ts"

/**
 * It reads until the other end of its standard input is closed, which the system does however this process ends, and
 * keeps the last line.
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

/** Where a notice goes: to the end of this file, or to standard error. */
export interface CrashNotice {
  readonly file: string | undefined
}

/** A process that outlives this one when this one ends without a word. */
export interface CrashWitness {
  /** Something that went wrong, which may turn out to be why this process ended. */
  readonly note: (error: string) => void
  /** Ends the watch: it reports nothing. */
  readonly dismiss: () => void
}

const startWitness = ({ file = "" }: CrashNotice): CrashWitness => {
  // Of a session of its own: Ctrl-C reaches all programs of the terminal.
  const witness = spawn("/bin/sh", ["-c", WAIT, NOTICE, file], {
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
 * Until the scope closes, a small process beside this one says when this one ends without a word. Both key-value engines
 * map their files: one cut short or garbled ends the process inside native code. lmdb 3.5.6 damages its own memory when
 * it reports a failed write. A caller that ends the process at once dismisses the witness before.
 */
export const crashWitness = (
  notice: CrashNotice = { file: undefined }
): Effect.Effect<CrashWitness, never, Scope.Scope> =>
  acquireRelease(
    Effect.sync(() => process.platform === "win32" ? NO_WITNESS : startWitness(notice)),
    ({ dismiss }) => Effect.sync(dismiss)
  )
