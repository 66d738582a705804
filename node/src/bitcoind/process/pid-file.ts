import { rmSync, writeFileSync } from "node:fs"
import { fsPath } from "../../bytes/byte-path.ts"
import { systemErrorText } from "./system-error.ts"

/** A file with the id of this process, kept until the process ends. */
export interface PidFile {
  /** Reason why it could not be created. */
  readonly fault: string | undefined
  /** Removes the file. Returns the error, or `undefined`. */
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
