import { rmSync } from "node:fs"

/** Removes a file or directory that is of no use any more. A failure is left out: it would replace the error of the work before. */
export const removeLeftover = (path: string): void => {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // What stays is named as temporary, and harms nothing.
  }
}
