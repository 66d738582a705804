import * as Schema from "effect/Schema"

/** The RPC server cannot start; `message` says what to do. */
export class RpcServerError extends Schema.TaggedError<RpcServerError>()("RpcServerError", {
  message: Schema.String
}) {}
