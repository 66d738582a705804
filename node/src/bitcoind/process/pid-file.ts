import { rmSync, writeFileSync } from "node:fs"

/** A file with the id of this process, until the process ends. */
export interface PidFile {
  /** Why it could not be made. */
  readonly fault: string | undefined
  /** Answers why it could not be removed. */
  readonly remove: () => string | undefined
}

const textOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

export const pidFile = (path: string): PidFile => {
  try {
    writeFileSync(path, `${process.pid}\n`)
  } catch (error) {
    return { fault: `Unable to create the PID file '${path}': ${textOf(error)}`, remove: () => undefined }
  }
  return {
    fault: undefined,
    remove: () => {
      try {
        rmSync(path)
        return undefined
      } catch (error) {
        return `Unable to remove PID file (${path}): ${textOf(error)}`
      }
    }
  }
}
