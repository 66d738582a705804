import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Disk } from "../disk/disk.ts"

export interface Space {
  readonly free: number
  readonly total: number
}

/** A change of the free space: the disk has become too full to write to, or has enough space again. */
export interface SpaceChange {
  readonly _tag: "Low" | "Enough"
  readonly space: Space
}

/** Factor above the minimum from which space suffices again. Without it a node at the limit would change with every block. */
const RECOVERY = 1.25

/** Reports whether space is low now, given whether it was low before. */
export const isLow = (wasLow: boolean, free: number, minimum: number): boolean =>
  free < (wasLow ? minimum * RECOVERY : minimum)

export interface WatchOptions {
  readonly disk: Pick<Disk, "space">
  readonly path: string
  readonly minimumFreeBytes: number
  /** Interval between checks while there is enough space. */
  readonly interval?: Duration.Duration
  /** Interval between checks while space is low. */
  readonly intervalWhenLow?: Duration.Duration
}

/** Checks the free space from time to time and reports every change. The first report comes only when space is low. */
export const watchSpace = (
  { disk, interval = Duration.seconds(30), intervalWhenLow = Duration.seconds(5), minimumFreeBytes, path }: WatchOptions
): Stream.Stream<SpaceChange> =>
  Stream.unfold({ wasLow: false, isFirst: true }, (state) =>
    Effect.gen(function*() {
      let { isFirst } = state
      for (;;) {
        if (!isFirst) yield* Effect.sleep(state.wasLow ? intervalWhenLow : interval)
        isFirst = false
        // A disk that does not respond is reported by the writes to it.
        const space = yield* Effect.orElseSucceed(disk.space(path), () => undefined)
        if (space === undefined) continue
        const low = isLow(state.wasLow, space.free, minimumFreeBytes)
        if (low !== state.wasLow) {
          const change: SpaceChange = { _tag: low ? "Low" : "Enough", space }
          return [change, { wasLow: low, isFirst: false }] as const
        }
      }
    }))
