import * as fs from "node:fs"
import { dirname } from "node:path"
import { fsPath } from "../../bytes/byte-path.ts"
import { syncDirectory } from "./sync-directory.ts"

const isDirectory = (path: string): boolean =>
  fs.statSync(fsPath(path), { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Makes a directory and its parents, each on disk before anything is in it. The one of Node.js never ends if a parent
 * can be made and is still missing, as below /proc or behind a dangling link.
 */
export const makeDirectory = (path: string, mode = 0o777): void => {
  if (isDirectory(path)) return
  const parent = dirname(path)
  if (parent !== path && !fs.existsSync(fsPath(parent))) makeDirectory(parent, mode)
  try {
    fs.mkdirSync(fsPath(path), { mode })
    syncDirectory(parent)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && isDirectory(path)) return
    throw error
  }
}
