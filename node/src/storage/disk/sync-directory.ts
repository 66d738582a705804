import * as fs from "node:fs"
import { fsPath } from "../../bytes/byte-path.ts"
import { closeFile } from "./close-file.ts"

/** Error codes to ignore: some file systems cannot sync a directory, and a writable directory need not be readable. */
const HARMLESS: ReadonlyArray<string | undefined> = ["EINVAL", "EACCES"]

/** Makes creations, renames and removals in `directory` durable. */
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
