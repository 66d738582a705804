import * as Effect from "effect/Effect"
import { type CallError, callError } from "../../queries/call-error.ts"
import {
  type DescribedScript,
  type DescriptorContext,
  type Expression,
  isRanged,
  scriptsAt
} from "@lockstep/descriptors/descriptor/descriptor.ts"
import type { PositionRange } from "./position-range.ts"

const FIRST: PositionRange = { from: 0, to: 0 }

/**
 * Returns the scripts of a descriptor at all positions of a range; only at the first unless the descriptor is ranged.
 */
export const expand = Effect.fnUntraced(function*(
  expression: Expression,
  range: PositionRange,
  context: DescriptorContext,
  problem = "Cannot derive script without private keys"
): Effect.fn.Return<ReadonlyArray<DescribedScript>, CallError> {
  const { from, to } = isRanged(expression) ? range : FIRST
  const all: Array<DescribedScript> = []
  for (let position = from; position <= to; position++) {
    const scripts = scriptsAt(expression, position, context)
    if (scripts === undefined) return yield* Effect.fail(callError("InvalidAddressOrKey", problem))
    for (const script of scripts) all.push(script)
    // Deriving a key takes a millisecond, so the event loop runs before the next position.
    yield* Effect.yieldNow
  }
  return all
})
