import { shownBytes } from "../bytes/byte-path.ts"
import * as Effect from "effect/Effect"

/** Writes lines to standard output. */
export const say = (...lines: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.sync(() => void process.stdout.write(shownBytes(`${lines.join("\n")}\n`)))

/** Writes lines to standard error, so that they stay out of a pipe. */
export const remark = (...lines: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const line of lines) process.stderr.write(`node: ${line}\n`)
  })
