import * as fs from "node:fs"
import { join } from "node:path"

/** Opens these files for reading and writing, all at once, and closes them. Answers why one cannot be opened. */
const faultOf = (paths: ReadonlyArray<string>): NodeJS.ErrnoException | undefined => {
  const opened: Array<number> = []
  let fault: NodeJS.ErrnoException | undefined
  try {
    for (const path of paths) opened.push(fs.openSync(path, "r+"))
  } catch (error) {
    fault = error as NodeJS.ErrnoException
  }
  for (const each of opened) fs.closeSync(each)
  return fault
}

/**
 * Throws the system's error when the files of an LMDB store cannot be opened, as often at once as LMDB opens them. When
 * an open of its own fails (too many open files, a broken disk), lmdb 3.5.6 frees memory twice and the process is
 * killed.
 */
export const ensureOpenable = (directory: string, data: string, lock: string): void => {
  const fault = faultOf([lock, data, data].map((name) => join(directory, name)))
  // A file that is not there yet is made by LMDB.
  if (fault !== undefined && fault.code !== "ENOENT") throw fault
}
