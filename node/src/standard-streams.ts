import { fstatSync } from "node:fs"
import { Writable } from "node:stream"

/** Errors of a reader that has gone, such as `head`, which are no failure. */
const READER_GONE = new Set(["EPIPE", "ECONNRESET"])

/** Set on a stream whose errors are already handled: one program may begin a command line and another may end it. */
const TAKEN = Symbol.for("lockstep: errors of this stream are taken")

type Name = "stdout" | "stderr"

/** Returns the stream, or one that discards everything if the system provides no writable stream. */
const opened = (name: Name): Writable & { [TAKEN]?: true } => {
  try {
    return process[name]
  } catch {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    Object.defineProperty(process, name, { configurable: true, value: nowhere })
    return nowhere
  }
}

/** The reaction of a program to lost output. */
export interface LostOutput {
  /** Called once, if standard output cannot be written although its reader is not gone. */
  readonly lost: (why: string) => void
}

/**
 * Keeps failed writes to standard output and standard error from ending the program. Failed output is lost, and the
 * next write is tried again.
 */
export const keepWriting = ({ lost }: LostOutput): void => {
  let isSaid = false
  const streams = { stdout: opened("stdout"), stderr: opened("stderr") }
  for (const name of ["stdout", "stderr"] as const) {
    const stream = streams[name]
    if (stream[TAKEN] === true) continue
    stream[TAKEN] = true
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (name === "stderr" || isSaid || READER_GONE.has(error.code ?? "")) return
      isSaid = true
      lost(error.message.replace(/, write$/, ""))
    })
  }
}

/** Formats the message about lost output, after the name of the program as in its other messages. */
export const lostLine = (program: string, why: string): string =>
  `${program}: standard output cannot be written: ${why}\n`

/** Reports whether standard output and standard error are the same file, as in a terminal or in the journal of a service. */
export const isOneOutput = (): boolean => {
  try {
    const [output, error] = [fstatSync(1), fstatSync(2)]
    return output.dev === error.dev && output.ino === error.ino
  } catch {
    return false
  }
}
