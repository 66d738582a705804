import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { closeFile } from "../disk/close-file.ts"
import { diskError } from "../disk/disk-error.ts"
import { makeDirectory } from "../disk/make-directory.ts"
import { syncDirectory } from "../disk/sync-directory.ts"

/** Makes a store that does not exist yet, and closes it again. */
type Begin = (directory: string) => Promise<void>

const syncFile = (path: string): void => {
  const descriptor = fs.openSync(path, "r")
  try {
    fs.fsyncSync(descriptor)
  } finally {
    closeFile(descriptor)
  }
}

const syncAll = (directory: string): void => {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    if (entry.isFile()) syncFile(join(directory, entry.name))
  }
  syncDirectory(directory)
}

const onDisk = <A>(operation: string, directory: string, run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    throw diskError("key-value", operation, directory, cause)
  }
}

/**
 * Makes the files of a new store. Neither engine makes their names durable, and LevelDB names a manifest before its
 * bytes are on disk. So the store is made next to its final path and moved there when all of it is on disk. A power cut
 * leaves a whole store or none. An existing directory, perhaps a separate disk, is used as it is.
 */
export const beginStore = async (directory: string, begin: Begin): Promise<void> => {
  const isThere = fs.existsSync(directory)
  const workplace = isThere ? directory : `${directory}.begun`
  onDisk("create", directory, () => {
    if (!isThere) fs.rmSync(workplace, { recursive: true, force: true })
    makeDirectory(workplace)
  })
  await begin(workplace)
  onDisk("sync", directory, () => {
    syncAll(workplace)
    if (!isThere) fs.renameSync(workplace, directory)
    syncDirectory(dirname(directory))
  })
}
