import * as Context from "effect/Context"

/** Slot of a running call in the work queue. */
export interface CallPlace {
  /**
   * Releases the slot to other calls while this one only waits. Returns false if too many calls wait or if this one
   * holds too much memory.
   */
  readonly stepAside: () => boolean
  readonly stepBack: () => void
}

/** Slot of the running call. The default is not counted; it serves calls that are no requests. */
export const CallPlace: Context.Reference<CallPlace> = Context.Reference("@node/rpc/CallPlace", {
  defaultValue: (): CallPlace => ({ stepAside: () => true, stepBack: () => {} })
})
