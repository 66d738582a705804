import * as Schema from "effect/Schema"

/** The node could not start, or had to stop; `message` says why and what to do. */
export class NodeFailure extends Schema.TaggedError<NodeFailure>()("NodeFailure", {
  message: Schema.String
}) {}
