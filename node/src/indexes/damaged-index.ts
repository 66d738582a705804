import { StorageError } from "../storage/storage-error.ts"
import { asTyped } from "../typed-command.ts"

/** The error for a missing or invalid entry of an index. `what` names the entry, with its verb. */
export const damagedIndex = (what: string): StorageError =>
  new StorageError({
    part: "index",
    operation: "read",
    reason: "corrupt",
    message: `${what}: run ${asTyped("rebuild")}, which makes the index anew.`
  })
