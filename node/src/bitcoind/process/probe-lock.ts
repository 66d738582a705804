import { constants, mkdirSync, openSync } from "node:fs"
import { join } from "node:path"
import { closeFile } from "../../storage/disk/close-file.ts"
import { lockFile } from "../../storage/data-directory/file-lock.ts"

const inUse = (directory: string): string =>
  `Cannot obtain a lock on directory ${directory}. Bitcoin Core is probably already running.`

const notWritable = (directory: string): string => `Cannot write to directory '${directory}'; check permissions.`

const openLock = (directory: string): number =>
  openSync(join(directory, ".lock"), constants.O_RDWR | constants.O_CREAT, 0o600)

/** Why another process keeps this one from a directory, in Bitcoin Core's words; none: nothing does. */
export const lockFault = (directory: string): string | undefined => {
  let descriptor: number
  try {
    descriptor = openLock(directory)
  } catch {
    return notWritable(directory)
  }
  try {
    // The lock goes with the descriptor; the node takes it again when it opens the directory.
    return lockFile(descriptor) === "taken" ? inUse(directory) : undefined
  } finally {
    closeFile(descriptor)
  }
}

/** Keeps a directory for this process until it ends, or answers why it cannot. The directory is made where there is none. */
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
