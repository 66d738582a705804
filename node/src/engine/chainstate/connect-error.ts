import type { StorageError } from "../../storage/storage-error.ts"
import type { ScriptPoolFailure } from "../script-pool/script-pool.ts"

/** Errors while a block is connected that do not make the block invalid. */
export type ConnectError = StorageError | ScriptPoolFailure
