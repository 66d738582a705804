import * as fs from "node:fs"
import { join } from "node:path"

/** Opens these files for reading and writing, all at once, and closes them. Returns the error if one cannot be opened. */
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
 * Throws the system's error if the files of an LMDB store cannot be opened, as many at once as LMDB opens. When its own
 * open fails (too many open files, a broken disk), lmdb 3.5.6 frees memory twice and the process dies.
 */
export const ensureOpenable = (directory: string, data: string, lock: string): void => {
  const fault = faultOf([lock, data, data].map((name) => join(directory, name)))
  // LMDB creates a missing file.
  if (fault !== undefined && fault.code !== "ENOENT") throw fault
}
