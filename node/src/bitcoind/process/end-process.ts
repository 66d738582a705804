import * as Effect from "effect/Effect"
import { flushCompileCache } from "node:module"
import type { Writable } from "node:stream"
import { exitImmediately } from "../../lifecycle/exit-immediately.ts"

/** Waits until what was written is with the system. */
const drained = (stream: Writable): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (stream.writableLength === 0) resume(Effect.void)
    else stream.write("", () => resume(Effect.void))
  })

/** How long a reader that is slow may take. */
const PATIENCE = "2 seconds"

/**
 * Ends the process of a node that has stopped. Node.js gives up its handling of signals first when it ends by itself: one
 * that still comes would make the status that of a process that was killed.
 */
export const endProcess = async (exitCode: number): Promise<void> => {
  const written = Effect.all([drained(process.stdout), drained(process.stderr)], { concurrency: "unbounded" })
  await Effect.runPromise(Effect.timeoutOption(written, PATIENCE))
  // The code that was compiled is kept for the next start, which Node.js else does when it ends.
  flushCompileCache()
  exitImmediately(exitCode)
}
