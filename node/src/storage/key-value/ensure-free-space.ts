import * as fs from "node:fs"
import { join } from "node:path"

const PIECE = new Uint8Array(65_536)

const hasBytes = (path: string): boolean => {
  const { blocks, size } = fs.statSync(path, { throwIfNoEntry: false }) ?? { blocks: 0, size: 0 }
  return size > 0 && blocks > 0
}

const removeLeftover = (path: string): void => {
  try {
    fs.rmSync(path, { force: true })
  } catch {
    // The error of the failed write is thrown; the next start writes over the file.
  }
}

const writeNew = (path: string): void => {
  try {
    fs.writeFileSync(path, PIECE)
  } catch (error) {
    removeLeftover(path)
    throw error
  }
}

/**
 * Makes the lock file of an LMDB store, and throws if there is no space for the data file that LMDB begins. LMDB writes
 * the first bytes of its lock through memory, where a full disk is a SIGBUS. It also dies if the file cannot be made
 * longer. Existing files need no space to be opened.
 */
export const ensureFreeSpace = (directory: string, data: string, lock: string): void => {
  if (!hasBytes(join(directory, lock))) writeNew(join(directory, lock))
  if (hasBytes(join(directory, data))) return
  const path = join(directory, "room.tmp")
  writeNew(path)
  fs.rmSync(path, { force: true })
}
