import * as Schema from "effect/Schema"

/** The RPC server cannot start; `message` says what to do. */
export class HttpServerError extends Schema.TaggedError<HttpServerError>()("HttpServerError", {
  message: Schema.String,
  /** The system's code of why it cannot listen, such as `EADDRINUSE`. */
  code: Schema.optional(Schema.String)
}) {}
