import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { closeFile } from "../disk/close-file.ts"
import { syncDirectory } from "../disk/sync-directory.ts"

const writeWhole = (path: string, bytes: Uint8Array): void => {
  const descriptor = fs.openSync(path, "w", 0o664)
  try {
    fs.writeFileSync(descriptor, bytes)
    fs.fsyncSync(descriptor)
  } finally {
    closeFile(descriptor)
  }
}

/**
 * Makes an empty data file of LMDB at `path`. The library ends the process when it makes one itself and a write fails.
 * So `make` has it do that in another directory, and the file is copied by calls that report their errors.
 */
export const beginLmdbFile = async (
  directory: string,
  name: string,
  make: (directory: string) => Promise<void>
): Promise<void> => {
  const elsewhere = fs.mkdtempSync(join(tmpdir(), "lockstep-empty-store-"))
  try {
    await make(elsewhere)
    const fresh = join(directory, `${name}.new`)
    writeWhole(fresh, fs.readFileSync(join(elsewhere, name)))
    fs.renameSync(fresh, join(directory, name))
    syncDirectory(directory)
  } finally {
    fs.rm(elsewhere, { recursive: true, force: true }, () => {})
  }
}
