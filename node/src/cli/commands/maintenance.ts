import * as Effect from "effect/Effect"
import { fsPath } from "../../bytes/byte-path.ts"
import { monotonicClock } from "../../clock.ts"
import { statSync } from "node:fs"
import { ensuring } from "../../finalizers/finalizers.ts"
import type { MaintenanceTask } from "../../lifecycle/maintenance-task.ts"
import { misused } from "../command-failure.ts"
import type { GlobalInput } from "../global-options.ts"
import { loadedConfig } from "../loaded-config.ts"
import { progressOn } from "../progress.ts"
import { say } from "../terminal.ts"

/** Runs a task on the chain of a node that is not running. */
export const maintain = Effect.fn("maintain")(function*(input: GlobalInput, task: MaintenanceTask) {
  const { config } = yield* loadedConfig(input)
  const { runMaintenance } = yield* Effect.promise(() => import("../../lifecycle/run-maintenance.ts"))
  const progress = progressOn(process.stderr, yield* monotonicClock)
  const summary = yield* runMaintenance(config, task, progress.report).pipe(ensuring(Effect.sync(progress.end)))
  yield* say(summary)
})

const problemWith = (path: string): string | undefined => {
  try {
    return statSync(fsPath(path)).isFile() ? undefined : `${path}: is not a file`
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return `${path}: ${code === "ENOENT" ? "no such file" : `cannot be read (${code})`}`
  }
}

/** Imports blocks from files. All files are checked first, so that a mistyped path is found before hours of work. */
export const runImport = Effect.fn("import")(function*(input: GlobalInput, files: ReadonlyArray<string>) {
  const problems = files.flatMap((file) => problemWith(file) ?? [])
  if (problems.length > 0) return yield* misused(...problems)
  yield* maintain(input, { _tag: "Import", files })
})
