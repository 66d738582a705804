import type * as Effect from "effect/Effect"
import type { StorageError } from "../../storage/storage-error.ts"
import type { EngineFault } from "../api/engine-error.ts"

/** Something that arrived and has to be validated, in order of arrival. */
export interface Arrival {
  /** Answers whether a block came of it that can be connected. */
  readonly take: Effect.Effect<boolean, StorageError>
  readonly refuse: (fault: EngineFault) => void
}
