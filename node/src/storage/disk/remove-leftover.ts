import { rmSync } from "node:fs"

/** Removes a useless file or directory. Ignores failures, which would replace the error of the work before. */
export const removeLeftover = (path: string): void => {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // The rest has a temporary name and does no harm.
  }
}
