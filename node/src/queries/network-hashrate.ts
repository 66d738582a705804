import type { Height } from "@lockstep/kernel/quantities"
import * as Effect from "effect/Effect"
import type { CallError } from "./call-error.ts"
import type { QueryNode } from "./query-node.ts"

/** Number of blocks for the estimate unless a caller gives another. */
export const HASHRATE_BLOCKS = 120

const LIMB = 2n ** 32n

/** Converts to a double by summing 32 bits at a time from the lowest on, which rounds like Bitcoin Core. */
const asDouble = (number: bigint): number => {
  let sum = 0
  let factor = 1
  for (let rest = number; rest > 0n; rest /= LIMB, factor *= Number(LIMB)) sum += Number(rest % LIMB) * factor
  return sum
}

/** Estimates the hashes per second of the network from the last `blocks` up to a height. */
export const networkHashrate = (
  { chain }: QueryNode,
  blocks: number,
  height: Height
): Effect.Effect<number, CallError> =>
  Effect.map(
    chain.call("networkWork", { blocks, height }),
    ({ seconds, work }) => seconds === 0 ? 0 : asDouble(work) / seconds
  )
