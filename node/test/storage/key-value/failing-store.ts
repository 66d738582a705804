import * as Effect from "effect/Effect"
import { storeError } from "../../../src/storage/key-value/engine-error.ts"
import type { KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"

export interface StorePlan {
  /** `write-lost`: nothing of the batch is kept. `write-kept`: all of it is, though the answer is a failure. */
  readonly fault: "write-lost" | "write-kept" | "read"
  /** The first operation of that kind that fails, counted from 1. */
  readonly at: number
  readonly lasting?: boolean
  /** Default: a full disk for writes, an I/O error for reads. */
  readonly reason?: StorageError["reason"]
}

export interface FailingStore {
  readonly store: KeyValueStore
  readonly count: () => number
  readonly failures: () => number
  readonly heal: () => void
}

/** A store that does what `store` does until the plan says otherwise. */
export const makeFailingStore = (store: KeyValueStore, plan: StorePlan): FailingStore => {
  let [count, failures, isHealed] = [0, 0, false]
  const isRead = plan.fault === "read"
  const failure = Effect.suspend(() =>
    Effect.fail(
      storeError(
        plan.reason ?? (isRead ? "io" : "full"),
        isRead ? "read" : "write",
        "(injected)",
        "it was told to fail"
      )
    )
  )
  const fails = (read: boolean): boolean => {
    if (read !== isRead) return false
    count++
    const hit = !isHealed && (plan.lasting === true ? count >= plan.at : count === plan.at)
    if (hit) failures++
    return hit
  }
  const reading = <A>(run: Effect.Effect<A, StorageError>): Effect.Effect<A, StorageError> =>
    Effect.suspend(() => fails(true) ? failure : run)

  return {
    count: () => count,
    failures: () => failures,
    heal: () => {
      isHealed = true
    },
    store: {
      ...store,
      get: (key) => reading(store.get(key)),
      getMany: (keys) => reading(store.getMany(keys)),
      write: (fill) =>
        Effect.suspend(() => {
          if (!fails(false)) return store.write(fill)
          return plan.fault === "write-kept" ? Effect.andThen(store.write(fill), failure) : failure
        })
    }
  }
}
