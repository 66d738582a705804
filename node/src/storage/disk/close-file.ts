import * as fs from "node:fs"

/**
 * Closes a file. What was written counts from its sync on, so a close that fails loses nothing, and must not hide the
 * error that comes before it.
 */
export const closeFile = (descriptor: number): void => {
  try {
    fs.closeSync(descriptor)
  } catch {
    // The descriptor is gone whatever the system says.
  }
}
