import { StorageError } from "../storage/storage-error.ts"
import { asTyped } from "../typed-command.ts"

/** An entry of an index that is missing, or no entry. `what` says which, with its verb. */
export const damagedIndex = (what: string): StorageError =>
  new StorageError({
    part: "index",
    operation: "read",
    reason: "corrupt",
    message: `${what}: run ${asTyped("rebuild")}, which makes the index anew.`
  })
