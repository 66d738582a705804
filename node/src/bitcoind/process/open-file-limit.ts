import { readFileSync } from "node:fs"

/** Limit that Core assumes if the system reports none. */
const LARGE = 1_048_576

/**
 * Returns the maximum number of open files of this process. Node.js raises the soft limit to the hard one when it
 * starts.
 */
export const openFileLimit = (): number => {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? []
    return soft === undefined ? LARGE : Number(soft)
  } catch {
    return LARGE
  }
}
