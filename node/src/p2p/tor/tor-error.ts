import * as Schema from "effect/Schema"

/** The onion service failed. `message` says why, and what to do. */
export class TorError extends Schema.TaggedError<TorError>()("TorError", {
  message: Schema.String,
  /** True if the control port could not be reached at all. */
  isUnreachable: Schema.Boolean
}) {}

export const torError = (message: string): TorError => new TorError({ message, isUnreachable: false })
