import { constants, mkdirSync, openSync } from "node:fs"
import { join } from "node:path"
import { closeFile } from "../../storage/disk/close-file.ts"
import { lockFile } from "../../storage/data-directory/file-lock.ts"

const inUse = (directory: string): string =>
  `Cannot obtain a lock on directory ${directory}. Bitcoin Core is probably already running.`

const notWritable = (directory: string): string => `Cannot write to directory '${directory}'; check permissions.`

const openLock = (directory: string): number =>
  openSync(join(directory, ".lock"), constants.O_RDWR | constants.O_CREAT, 0o600)

/**
 * Returns why another process prevents the use of a directory, in Bitcoin Core's words, or `undefined` if none does.
 */
export const lockFault = (directory: string): string | undefined => {
  let descriptor: number
  try {
    descriptor = openLock(directory)
  } catch {
    return notWritable(directory)
  }
  try {
    // Closing the descriptor releases the lock; the node takes it again when it opens the directory.
    return lockFile(descriptor) === "taken" ? inUse(directory) : undefined
  } finally {
    closeFile(descriptor)
  }
}

/** Locks a directory until this process ends, creating it if necessary. Returns the error, or `undefined`. */
export const holdDirectory = (directory: string): string | undefined => {
  try {
    mkdirSync(directory, { recursive: true })
    const descriptor = openLock(directory)
    if (lockFile(descriptor) !== "taken") return undefined
    closeFile(descriptor)
    return inUse(directory)
  } catch {
    return notWritable(directory)
  }
}
