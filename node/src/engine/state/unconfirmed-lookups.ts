import type { Sats } from "@lockstep/kernel/quantities"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../../storage/storage-error.ts"

/** An output that a transaction of the mempool makes or spends. Value in satoshis. */
export interface UnconfirmedOutput {
  readonly txid: Uint8Array
  readonly vout: number
  readonly value: Sats
}

/** What a transaction of the mempool makes and spends, as far as it was asked for. */
export interface UnconfirmedMovement {
  readonly txid: Uint8Array
  readonly created: ReadonlyArray<UnconfirmedOutput>
  readonly spent: ReadonlyArray<UnconfirmedOutput>
}

/** Look-ups of the mempool by what its transactions make and spend. */
export interface UnconfirmedLookups {
  /**
   * Finds out what the newest entries spend, at most so many of them; answers whether all are known. Needs the writer's
   * turn.
   */
  readonly resolve: (most: number) => Effect.Effect<boolean, StorageError>
  /** By the SHA-256 of a script, in the order in which they came. Precondition: all are known. */
  readonly ofScript: (scriptHash: Uint8Array) => ReadonlyArray<UnconfirmedMovement>
  /** By value, both bounds included. Precondition: all are known. */
  readonly ofValues: (least: bigint, most: bigint) => ReadonlyArray<UnconfirmedMovement>
  /** Bytes of records, without what finds them. */
  readonly bytes: () => number
}
