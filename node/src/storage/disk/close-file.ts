import * as fs from "node:fs"

/**
 * Closes a file. Data are safe from their sync on, so a close that fails loses nothing and must not hide an earlier
 * error.
 */
export const closeFile = (descriptor: number): void => {
  try {
    fs.closeSync(descriptor)
  } catch {
    // The descriptor is closed, whatever the system reports.
  }
}
