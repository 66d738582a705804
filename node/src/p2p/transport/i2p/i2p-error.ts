import * as Schema from "effect/Schema"

/** An I2P router did not do what was asked of it. */
export class I2pError extends Schema.TaggedError<I2pError>()("I2pError", {
  message: Schema.String,
  /** Whether the router failed, so that the address asked for is not to blame. */
  isProxy: Schema.Boolean,
  /** The place of a router that takes no connection. */
  unreached: Schema.optional(Schema.String)
}) {}

/** The router is to blame. */
export const routerError = (message: string): I2pError => new I2pError({ message, isProxy: true })
