import * as Schema from "effect/Schema"

/** The RPC server cannot start. `message` says what to do. */
export class HttpServerError extends Schema.TaggedError<HttpServerError>()("HttpServerError", {
  message: Schema.String,
  /** Error code of the system, such as `EADDRINUSE`. */
  code: Schema.optional(Schema.String)
}) {}
