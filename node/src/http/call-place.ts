import * as Context from "effect/Context"

/** The place that a call has among those that run. */
export interface CallPlace {
  /**
   * Gives the place to other calls while this one only waits. False: too many wait already, or this one holds too much.
   */
  readonly stepAside: () => boolean
  readonly stepBack: () => void
}

/** The place of the call that runs; a place without a count where the call is not a request. */
export const CallPlace: Context.Reference<CallPlace> = Context.Reference("@node/rpc/CallPlace", {
  defaultValue: (): CallPlace => ({ stepAside: () => true, stepBack: () => {} })
})
