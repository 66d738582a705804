import type * as Effect from "effect/Effect"
import type { StorageError } from "../../storage/storage-error.ts"
import type { EngineFault } from "../api/engine-error.ts"

/** An arrived block that has to be validated, in order of arrival. */
export interface Arrival {
  /** Validates it. Returns whether it is a block that can be connected. */
  readonly take: Effect.Effect<boolean, StorageError>
  readonly refuse: (fault: EngineFault) => void
}
