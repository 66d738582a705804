import type { Height } from "@lockstep/kernel/quantities"
import * as Effect from "effect/Effect"
import type { CallError } from "./call-error.ts"
import type { QueryNode } from "./query-node.ts"

/** Blocks over which the rate is estimated unless something else is asked for. */
export const HASHRATE_BLOCKS = 120

const LIMB = 2n ** 32n

/** As a double, summed 32 bits at a time from the lowest on: the rounding of Bitcoin Core. */
const asDouble = (number: bigint): number => {
  let sum = 0
  let factor = 1
  for (let rest = number; rest > 0n; rest /= LIMB, factor *= Number(LIMB)) sum += Number(rest % LIMB) * factor
  return sum
}

/** Hashes a second that the network has made over the last `blocks` up to a height. */
export const networkHashrate = (
  { chain }: QueryNode,
  blocks: number,
  height: Height
): Effect.Effect<number, CallError> =>
  Effect.map(
    chain.call("networkWork", { blocks, height }),
    ({ seconds, work }) => seconds === 0 ? 0 : asDouble(work) / seconds
  )
