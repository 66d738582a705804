import { fstatSync } from "node:fs"
import { Writable } from "node:stream"

/** A reader that has seen enough, such as `head`, is no error. */
const READER_GONE = new Set(["EPIPE", "ECONNRESET"])

/** Set on a stream whose errors are taken already: a command line may be begun by one program and ended by another. */
const TAKEN = Symbol.for("lockstep: errors of this stream are taken")

type Name = "stdout" | "stderr"

/** The stream, or one that takes all and keeps nothing where the system gives something that cannot be written at all. */
const opened = (name: Name): Writable & { [TAKEN]?: true } => {
  try {
    return process[name]
  } catch {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    Object.defineProperty(process, name, { configurable: true, value: nowhere })
    return nowhere
  }
}

/** What a program does about output that is lost. */
export interface LostOutput {
  /** Called once, when standard output cannot be written though its reader is not gone. */
  readonly lost: (why: string) => void
}

/**
 * Keeps failed writes to standard output and standard error from ending the program. What cannot be written is lost, and the
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

/** The line that says so, behind the name of the program as its other remarks have it. */
export const lostLine = (program: string, why: string): string =>
  `${program}: standard output cannot be written: ${why}\n`

/** Whether standard output and standard error go to the same place, as in a terminal or in the journal of a service. */
export const isOneOutput = (): boolean => {
  try {
    const [output, error] = [fstatSync(1), fstatSync(2)]
    return output.dev === error.dev && output.ino === error.ino
  } catch {
    return false
  }
}
