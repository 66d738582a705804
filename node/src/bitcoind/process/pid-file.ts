import { rmSync, writeFileSync } from "node:fs"
import { fsPath } from "../../bytes/byte-path.ts"
import { systemErrorText } from "./system-error.ts"

/** A file with the id of this process, until the process ends. */
export interface PidFile {
  /** Why it could not be made. */
  readonly fault: string | undefined
  /** Answers why it could not be removed. */
  readonly remove: () => string | undefined
}

export const pidFile = (path: string): PidFile => {
  try {
    writeFileSync(fsPath(path), `${process.pid}\n`)
  } catch (error) {
    return { fault: `Unable to create the PID file '${path}': ${systemErrorText(error)}`, remove: () => undefined }
  }
  return {
    fault: undefined,
    remove: () => {
      try {
        rmSync(fsPath(path))
        return undefined
      } catch (error) {
        return `Unable to remove PID file (${path}): ${systemErrorText(error)}`
      }
    }
  }
}
