import * as Schema from "effect/Schema"

/** The part of the storage in which an operation failed, for the log. */
export const StoragePart = Schema.Literals(["key-value", "block-files", "undo-files", "data-directory", "index"])

/**
 * Data on disk could not be read or written. An error of the node, never of a block. `message` names the file and says
 * what to do; `reason` decides how the node continues.
 */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  part: StoragePart,
  operation: Schema.String,
  /**
   * `corrupt`: invalid bytes. `full`: no space. `missing`: not found. `locked`: held by another process. `io`: anything
   * else.
   */
  reason: Schema.Literals(["corrupt", "full", "missing", "locked", "newer", "io"]),
  message: Schema.String,
  /** The file or directory concerned. */
  path: Schema.optional(Schema.String)
}) {}
