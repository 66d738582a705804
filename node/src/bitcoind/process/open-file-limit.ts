import { readFileSync } from "node:fs"

/** Where the system says nothing, Core takes the limit to be large enough. */
const LARGE = 1_048_576

/** How many files this process may have open. Node.js raises the soft limit to the hard one when it starts. */
export const openFileLimit = (): number => {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? []
    return soft === undefined ? LARGE : Number(soft)
  } catch {
    return LARGE
  }
}
