import * as fs from "node:fs"
import { fsPath } from "../../bytes/byte-path.ts"
import { closeFile } from "./close-file.ts"

/**
 * Some file systems have nothing to sync in a directory and say so; one that may be written to need not be readable.
 */
const HARMLESS: ReadonlyArray<string | undefined> = ["EINVAL", "EACCES"]

/** Makes creations, renames and removals in `directory` last. */
export const syncDirectory = (directory: string): void => {
  let descriptor: number | undefined
  try {
    descriptor = fs.openSync(fsPath(directory), fs.constants.O_RDONLY)
    fs.fsyncSync(descriptor)
  } catch (cause) {
    if (!HARMLESS.includes((cause as NodeJS.ErrnoException).code)) throw cause
  } finally {
    if (descriptor !== undefined) closeFile(descriptor)
  }
}
