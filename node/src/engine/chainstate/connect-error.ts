import type { StorageError } from "../../storage/storage-error.ts"
import type { ScriptPoolFailure } from "../script-pool/script-pool.ts"

/** Errors that are not the fault of a block. */
export type ConnectError = StorageError | ScriptPoolFailure
