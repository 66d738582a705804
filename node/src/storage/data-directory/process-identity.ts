import * as fs from "node:fs"

/** A process by its id and its start time, because the system reuses ids. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks from the machine's start to that of the process; `undefined` if the system does not report it. */
  readonly began: string | undefined
}

const beginningOf = (pid: number): string | undefined => {
  try {
    // Field 22, counted from the end of the name in brackets, which may contain any character.
    return fs.readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ")[19]
  } catch {
    return undefined
  }
}

export const ownIdentity = (): ProcessIdentity => ({ pid: process.pid, began: beginningOf(process.pid) })

export const identityText = ({ began, pid }: ProcessIdentity): string =>
  `${pid}${began === undefined ? "" : ` ${began}`}\n`

/** Parses the text of {@link identityText}. */
export const identityOf = (text: string): ProcessIdentity | undefined => {
  const [, pid, began] = /^(\d{1,10})(?: (\d+))?\n?$/.exec(text) ?? []
  return pid === undefined ? undefined : { pid: Number(pid), began }
}

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Reports whether exactly that process still runs. */
export const isRunning = ({ began, pid }: ProcessIdentity): boolean =>
  exists(pid) && (began === undefined || (beginningOf(pid) ?? began) === began)
