import * as Context from "effect/Context"

/** The place that a call has among those that run. */
export interface CallPlace {
  /** Lets others run while this call only waits. Not, when too many wait already or this one holds too much meanwhile. */
  readonly stepAside: () => boolean
  readonly stepBack: () => void
}

/** The place of the call that runs; one that nobody counts where it did not come as a request. */
export const CallPlace: Context.Reference<CallPlace> = Context.Reference("@node/rpc/CallPlace", {
  defaultValue: (): CallPlace => ({ stepAside: () => true, stepBack: () => {} })
})
