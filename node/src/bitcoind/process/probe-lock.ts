import { constants, openSync } from "node:fs"
import { join } from "node:path"
import { closeFile } from "../../storage/disk/close-file.ts"
import { lockFile } from "../../storage/data-directory/file-lock.ts"

/** Why another process keeps this one from a directory, in Bitcoin Core's words; none: nothing does. */
export const lockFault = (directory: string): string | undefined => {
  let descriptor: number
  try {
    descriptor = openSync(join(directory, ".lock"), constants.O_RDWR | constants.O_CREAT, 0o600)
  } catch {
    return `Cannot write to directory '${directory}'; check permissions.`
  }
  try {
    // The lock goes with the descriptor; the node takes it again when it opens the directory.
    return lockFile(descriptor) === "taken"
      ? `Cannot obtain a lock on directory ${directory}. Bitcoin Core is probably already running.`
      : undefined
  } finally {
    closeFile(descriptor)
  }
}
