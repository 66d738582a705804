import { constants, fstatSync, readSync, writeFileSync } from "node:fs"
import { closeFile } from "../../storage/disk/close-file.ts"
import { openRegular } from "../../storage/disk/regular-file.ts"

/** Size in bytes above which a log is shrunk at a start. */
const LONG = 11_000_000
/** Bytes kept of it. */
const KEPT = 10_000_000

/** Keeps only the end of a long log. Leaves any other log unchanged. */
export const shrinkLog = (path: string, long = LONG, kept = KEPT): void => {
  let end: Buffer | undefined
  let descriptor: number
  try {
    descriptor = openRegular(path, constants.O_RDONLY)
  } catch {
    return
  }
  try {
    const { size } = fstatSync(descriptor)
    if (size > long) {
      const bytes = Buffer.alloc(kept)
      end = bytes.subarray(0, readSync(descriptor, bytes, 0, kept, size - kept))
    }
  } finally {
    closeFile(descriptor)
  }
  if (end !== undefined) writeFileSync(path, end)
}
