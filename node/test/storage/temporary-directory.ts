import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A directory of its own for one test, gone when the test is over. */
export const temporaryDirectory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(join(tmpdir(), "lockstep-"))),
  // A write that is under way elsewhere may still put a file into it.
  (directory) =>
    Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
)
