import type { Height } from "@lockstep/kernel/quantities"
import * as Effect from "effect/Effect"
import { onExit } from "../../finalizers/finalizers.ts"

/** State of a running scan over blocks. */
export interface ScanUnderWay {
  /** Progress in percent. */
  progress: number
  height: Height
  isAborted: boolean
}

/** The scan over blocks. Only one can run at a time. */
export interface BlockScan {
  readonly current: () => ScanUnderWay | undefined
  /** Runs a scan. Yields `undefined` if another one is running. */
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
