import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { closeFile } from "../disk/close-file.ts"
import { removeLeftover } from "../disk/remove-leftover.ts"
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

/** More bytes than an empty store takes. */
const ROOM = new Uint8Array(65_536)

const makeWorkplace = (parent: string): string => fs.mkdtempSync(join(parent, "lockstep-empty-store-"))

/**
 * Makes a new directory with space for an empty store, elsewhere if possible. The directory for temporary files may be
 * missing, full or read-only. Then it is in the store's own directory, which has space.
 */
const workplaceFor = (directory: string): string => {
  let place: string | undefined
  try {
    place = makeWorkplace(tmpdir())
    const room = join(place, "room.tmp")
    fs.writeFileSync(room, ROOM)
    fs.rmSync(room)
    return place
  } catch {
    if (place !== undefined) removeLeftover(place)
    return makeWorkplace(directory)
  }
}

/**
 * Makes an empty data file of LMDB at `path`. The library ends the process if it makes one itself and a write fails. So
 * `make` has it do that in another directory, and the file is copied by calls that report their errors.
 */
export const beginLmdbFile = async (
  directory: string,
  name: string,
  make: (directory: string) => Promise<void>
): Promise<void> => {
  const elsewhere = workplaceFor(directory)
  try {
    await make(elsewhere)
    const fresh = join(directory, `${name}.new`)
    writeWhole(fresh, fs.readFileSync(join(elsewhere, name)))
    fs.renameSync(fresh, join(directory, name))
    syncDirectory(directory)
  } finally {
    removeLeftover(elsewhere)
  }
}
