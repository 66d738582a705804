import * as Effect from "effect/Effect"
import { integer } from "../definition/parameter.ts"
import { invalidParameter } from "../../queries/call-error.ts"
import type { QueryChain } from "../../queries/query-node.ts"

export const confTarget = integer({ description: "Blocks within which a transaction is to confirm, from 1 to 1008" })

export const NOTHING_FOUND = "Insufficient data or no feerate found"

/** Fails for a confirmation target that has no estimates. */
export const judgeTarget = Effect.fnUntraced(function*(target: number, { call }: QueryChain) {
  const highest = yield* call("highestFeeTarget", undefined)
  if (target < 1 || target > highest) {
    return yield* Effect.fail(invalidParameter(`Invalid conf_target, must be between 1 and ${highest}`))
  }
})
