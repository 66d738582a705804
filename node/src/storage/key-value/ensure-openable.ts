import * as fs from "node:fs"
import { join } from "node:path"

/**
 * Throws the system's error when the files of an LMDB store cannot be opened, as often at once as LMDB opens them.
 * lmdb 3.5.6 frees memory twice, and the process is killed, when an open of its own fails (too many open files, a broken
 * disk).
 */
export const ensureOpenable = (directory: string, data: string, lock: string): void => {
  const opened: Array<number> = []
  try {
    for (const name of [lock, data, data]) opened.push(fs.openSync(join(directory, name), "r+"))
  } catch (error) {
    // A file that is not there yet is made by LMDB.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  } finally {
    for (const each of opened) fs.closeSync(each)
  }
}
