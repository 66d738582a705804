import * as Result from "effect/Result"
import type { ScriptFailure } from "../script/fault.ts"
import type { Overlay } from "../utxo/overlay.ts"
import type { BlockUndo } from "../utxo/undo.ts"
import type { Verdict, Violation } from "../verdict.ts"
import type { Collected } from "./collect.ts"

/** What a connected block leaves behind. */
export interface Connected {
  readonly delta: Overlay
  readonly undo: BlockUndo
  readonly fees: bigint
  readonly sigOpCost: number
}

/**
 * The verdict on a block, once its scripts are judged. `scriptFailure` is that of the earliest job that failed, none when
 * all hold or when they are assumed to.
 *
 * A failed script comes before whatever else was found: it stands in an earlier transaction, or before the coinbase is
 * weighed against the fees.
 *
 * @spec UTX-011 #3bd5fd0b
 */
export const concludeBlock = (collected: Collected, scriptFailure: ScriptFailure | undefined): Verdict<Connected, Violation> => {
  const failure = scriptFailure ?? collected.failure
  if (failure !== undefined) return Result.fail(failure)
  const { delta, fees, sigOpCost, undo } = collected
  return Result.succeed({ delta, fees, sigOpCost, undo })
}
