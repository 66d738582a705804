import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Disk } from "../disk/disk.ts"

export interface Space {
  readonly free: number
  readonly total: number
}

/** The disk became too full to write on, or has room again. */
export interface SpaceChange {
  readonly _tag: "Low" | "Enough"
  readonly space: Space
}

/** Room again means a quarter more than the least: a node at the edge would otherwise change with every block. */
const RECOVERY = 1.25

/** Whether space is low now, when it was or was not before. */
export const isLow = (wasLow: boolean, free: number, minimum: number): boolean =>
  free < (wasLow ? minimum * RECOVERY : minimum)

export interface WatchOptions {
  readonly disk: Pick<Disk, "space">
  readonly path: string
  readonly minimumFreeBytes: number
  /** While there is room. */
  readonly interval?: Duration.Duration
  /** While there is none. */
  readonly intervalWhenLow?: Duration.Duration
}

/** Checks the free space from time to time and reports every change; the first report comes only when space is low. */
export const watchSpace = (
  { disk, interval = Duration.seconds(30), intervalWhenLow = Duration.seconds(5), minimumFreeBytes, path }: WatchOptions
): Stream.Stream<SpaceChange> =>
  Stream.unfold({ wasLow: false, isFirst: true }, (state) =>
    Effect.gen(function*() {
      let { isFirst } = state
      for (;;) {
        if (!isFirst) yield* Effect.sleep(state.wasLow ? intervalWhenLow : interval)
        isFirst = false
        // A disk that does not answer says so where it is written to.
        const space = yield* Effect.orElseSucceed(disk.space(path), () => undefined)
        if (space === undefined) continue
        const low = isLow(state.wasLow, space.free, minimumFreeBytes)
        if (low !== state.wasLow) {
          const change: SpaceChange = { _tag: low ? "Low" : "Enough", space }
          return [change, { wasLow: low, isFirst: false }] as const
        }
      }
    }))
