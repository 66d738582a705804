import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import type { ModuleCommand } from "./module-command.ts"

/** The system could not start the program of a module. */
export class SpawnError extends Data.TaggedError("SpawnError")<{ readonly message: string }> {}

/** A process that was started. */
export interface RunningCommand {
  readonly pid: number
  /** The way it ended: "exited with code 1". */
  readonly ended: Effect.Effect<string>
}

/** From this exit code on, shells and bubblewrap report the signal that ended a program. */
const SIGNAL_CODES = 128

const endingText = (code: number | null, signal: NodeJS.Signals | null, isConfined: boolean): string => {
  if (signal !== null) return `was ended by ${signal}`
  return isConfined && code! > SIGNAL_CODES ? `was ended by signal ${code! - SIGNAL_CODES}` : `exited with code ${code}`
}

/** Maximum characters of a line; the rest is cut. */
const MOST_CHARACTERS = 1_000

/** Splits the output of a module into lines, with memory for one of them. The last one may lack its end. */
const readLines = (stream: Readable, onLine: (line: string) => void): void => {
  let begun = ""
  const end = (): void => {
    if (begun !== "") onLine(begun)
    begun = ""
  }
  // A character may be split between two chunks.
  stream.setEncoding("utf8")
  stream.on("data", (chunk: string) => {
    for (const [i, part] of chunk.split("\n").entries()) {
      if (i > 0) end()
      begun += part.slice(0, MOST_CHARACTERS - begun.length)
    }
  })
  stream.on("end", end)
}

/** Kills the rest of the process and its group at once. */
const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // The process has ended.
  }
}

const spawned = (command: ModuleCommand): ChildProcess =>
  spawn(command.program, command.arguments, {
    cwd: command.directory,
    env: command.environment,
    // A process group of its own keeps signals of the node's terminal away from modules.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", command.filter === undefined ? "ignore" : "pipe"]
  })

/** Runs a command until the scope closes, which kills it. Each line that it prints is passed to `onLine`. */
export const runCommand = Effect.fnUntraced(function*(
  command: ModuleCommand,
  onLine: (line: string) => void
): Effect.fn.Return<RunningCommand, SpawnError, Scope.Scope> {
  const ended = yield* Deferred.make<string>()
  const started = yield* Deferred.make<void, SpawnError>()
  const child = yield* acquireRelease(
    Effect.sync(() => {
      const process = spawned(command)
      process.once("spawn", () => Deferred.doneUnsafe(started, Effect.void))
      process.on("error", ({ message }) => {
        Deferred.doneUnsafe(started, Effect.fail(new SpawnError({ message })))
        Deferred.doneUnsafe(ended, Effect.succeed(message))
      })
      process.once("exit", (code, signal) => {
        Deferred.doneUnsafe(ended, Effect.succeed(endingText(code, signal, command.filter !== undefined)))
      })
      for (const stream of [process.stdout!, process.stderr!]) readLines(stream, onLine)
      const filter = process.stdio[3]
      if (command.filter !== undefined && filter !== null && filter !== undefined && "end" in filter) {
        // A program that ends before it has read the filter is reported by its end.
        filter.on("error", () => undefined)
        filter.end(command.filter)
      }
      return process
    }),
    ({ pid }) =>
      pid === undefined ? Effect.void : Effect.andThen(Effect.sync(() => killGroup(pid)), Deferred.await(ended))
  )
  yield* Deferred.await(started)
  return { pid: child.pid!, ended: Deferred.await(ended) }
})
