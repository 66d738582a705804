import type { Height } from "@lockstep/kernel/quantities"
import * as Effect from "effect/Effect"
import { onExit } from "../../finalizers/finalizers.ts"

/** How far a scan over blocks is, and whether it shall end. */
export interface ScanUnderWay {
  /** Percent that is done. */
  progress: number
  height: Height
  isAborted: boolean
}

/** The one scan over blocks that there may be at a time. */
export interface BlockScan {
  readonly current: () => ScanUnderWay | undefined
  /** Runs a scan; none: there is one already. */
  readonly during: <A, E>(scan: (state: ScanUnderWay) => Effect.Effect<A, E>) => Effect.Effect<A | undefined, E>
}

export const blockScan = (): BlockScan => {
  let current: ScanUnderWay | undefined
  return {
    current: () => current,
    during: (scan) =>
      Effect.suspend(() => {
        if (current !== undefined) return Effect.succeed(undefined)
        const state: ScanUnderWay = { progress: 0, height: 0, isAborted: false }
        current = state
        return onExit(scan(state), () =>
          Effect.sync(() => {
            current = undefined
          }))
      })
  }
}
