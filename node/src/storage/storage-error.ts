import * as Schema from "effect/Schema"

/** Where a storage operation went wrong, for the log. */
export const StoragePart = Schema.Literals(["key-value", "block-files", "undo-files", "data-directory", "index"])

/**
 * Something on disk could not be read or written: our side's fault, never a block's. `message` names the file and says
 * what to do; `reason` decides how the node goes on.
 */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  part: StoragePart,
  operation: Schema.String,
  /**
   * `corrupt`: the bytes are wrong. `full`: no space. `missing`: not there. `locked`: another process has it. `io`:
   * anything else.
   */
  reason: Schema.Literals(["corrupt", "full", "missing", "locked", "newer", "io"]),
  message: Schema.String,
  /** The file or directory concerned. */
  path: Schema.optional(Schema.String)
}) {}
