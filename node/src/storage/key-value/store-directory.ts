import { diskError } from "../disk/disk-error.ts"
import { makeDirectory } from "../disk/make-directory.ts"

/** Makes the directory of a store, or says what is in the way. */
export const makeStoreDirectory = (directory: string): void => {
  try {
    makeDirectory(directory)
  } catch (cause) {
    throw diskError("key-value", "create", directory, cause)
  }
}
