import type { Sats } from "@lockstep/kernel/quantities"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../../storage/storage-error.ts"

/** An output that a transaction of the mempool creates or spends. Its value is in satoshis. */
export interface UnconfirmedOutput {
  readonly txid: Uint8Array
  readonly vout: number
  readonly value: Sats
}

/** The outputs that a transaction of the mempool creates and spends, as far as requested. */
export interface UnconfirmedMovement {
  readonly txid: Uint8Array
  readonly created: ReadonlyArray<UnconfirmedOutput>
  readonly spent: ReadonlyArray<UnconfirmedOutput>
}

/** Look-ups of the mempool by the outputs that its transactions create and spend. */
export interface UnconfirmedLookups {
  /**
   * Resolves the outputs that the newest entries spend, for at most `most` entries. Returns whether all are resolved.
   * Needs the writer's turn.
   */
  readonly resolve: (most: number) => Effect.Effect<boolean, StorageError>
  /** Finds movements by the SHA-256 of a script, in order of arrival. Precondition: all entries are resolved. */
  readonly ofScript: (scriptHash: Uint8Array) => ReadonlyArray<UnconfirmedMovement>
  /** Finds movements by value, both bounds included. Precondition: all entries are resolved. */
  readonly ofValues: (least: bigint, most: bigint) => ReadonlyArray<UnconfirmedMovement>
  /** Bytes of the records, without their indexes. */
  readonly bytes: () => number
}
