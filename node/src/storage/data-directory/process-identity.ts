import * as fs from "node:fs"

/** A process by its id and when it began, since the system uses ids again. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks from the machine's start to the process's; none where the system does not say. */
  readonly began: string | undefined
}

const beginningOf = (pid: number): string | undefined => {
  try {
    // Behind the name, which may hold anything, in brackets; the 22nd field of all.
    return fs.readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ")[19]
  } catch {
    return undefined
  }
}

export const ownIdentity = (): ProcessIdentity => ({ pid: process.pid, began: beginningOf(process.pid) })

export const identityText = ({ began, pid }: ProcessIdentity): string =>
  `${pid}${began === undefined ? "" : ` ${began}`}\n`

/** Reads what {@link identityText} wrote. */
export const identityOf = (text: string): ProcessIdentity | undefined => {
  const [, pid, began] = /^(\d{1,10})(?: (\d+))?\n?$/.exec(text) ?? []
  return pid === undefined ? undefined : { pid: Number(pid), began }
}

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Whether that very process still runs. */
export const isRunning = ({ began, pid }: ProcessIdentity): boolean =>
  exists(pid) && (began === undefined || (beginningOf(pid) ?? began) === began)
