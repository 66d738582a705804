import type { RelayContext } from "@lockstep/protocol/rejection/relay-rejection.ts"
import type { Hash } from "@lockstep/kernel/quantities"
import type { Violation } from "@lockstep/kernel/verdict"

/** The reason why the mempool rejects a transaction. */
export interface Refusal {
  readonly violation: Violation
  readonly how: RelayContext
  /** Distinct txids of unknown parents, in the order of inputs. */
  readonly missing: ReadonlyArray<Hash>
}

const NOTHING: ReadonlyArray<Hash> = []

export const refusal = (violation: Violation, how: RelayContext = {}, missing = NOTHING): Refusal => ({
  violation,
  how,
  missing
})
