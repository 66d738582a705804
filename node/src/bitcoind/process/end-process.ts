import * as Effect from "effect/Effect"
import { flushCompileCache } from "node:module"
import type { Writable } from "node:stream"
import { exitImmediately } from "../../lifecycle/exit-immediately.ts"

/** Waits until the operating system has received the output. */
const drained = (stream: Writable): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (stream.writableLength === 0) resume(Effect.void)
    else stream.write("", () => resume(Effect.void))
  })

/** Timeout for a slow reader. */
const PATIENCE = "2 seconds"

/**
 * Ends the process of a stopped node at once. In a normal exit, Node.js first removes its signal handlers: a late
 * signal would then change the exit status.
 */
export const endProcess = async (exitCode: number): Promise<void> => {
  const written = Effect.all([drained(process.stdout), drained(process.stderr)], { concurrency: "unbounded" })
  await Effect.runPromise(Effect.timeoutOption(written, PATIENCE))
  // Keeps compiled code for the next start, which Node.js otherwise does in a normal exit.
  flushCompileCache()
  exitImmediately(exitCode)
}
