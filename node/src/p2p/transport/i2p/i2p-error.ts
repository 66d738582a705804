import * as Schema from "effect/Schema"

/** A failed request to an I2P router. */
export class I2pError extends Schema.TaggedError<I2pError>()("I2pError", {
  message: Schema.String,
  /** True if the router failed, so that the requested address is not to blame. */
  isProxy: Schema.Boolean,
  /** Endpoint of a router that could not be connected to. */
  unreached: Schema.optional(Schema.String)
}) {}

/** Makes an error that the router is to blame for. */
export const routerError = (message: string): I2pError => new I2pError({ message, isProxy: true })
