import type { Height, UnixSeconds } from "@lockstep/kernel/quantities"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { MIN_BLOCKS_TO_KEEP, pruneAfterHeight } from "../maintenance/prune-choice.ts"
import { method } from "./definition/method.ts"
import { integer } from "./definition/parameter.ts"
import { invalidParameter, type CallError, callError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"

/** Smallest number that is read as a time in Unix seconds instead of a height. */
const FIRST_TIME = 1_000_000_000

/** Seconds by which block times may deviate. */
const TIME_MARGIN = 2 * 3600

const medianTimeAt = Effect.fnUntraced(function*({ chain }: MethodNode, height: Height) {
  const hash = yield* chain.call("hashAt", { height })
  const facts = hash === undefined ? undefined : yield* chain.call("blockFacts", { hash })
  return facts?.medianTime ?? Infinity
})

/** Returns the first height whose median time is at least `time`. */
const heightAtTime = Effect.fnUntraced(
  function*(node: MethodNode, time: UnixSeconds): Effect.fn.Return<number, CallError> {
    let low = 0
    let high = node.chain.state().height + 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((yield* medianTimeAt(node, middle)) < time) low = middle + 1
      else high = middle
    }
    return low
  }
)

export const pruneblockchain = method({
  name: "pruneblockchain",
  category: "blockchain",
  privilege: "admin",
  description: "Prunes old blocks from disk, by whole files. Needs pruning to be switched on.",
  parameters: {
    height: integer({
      description: "The last height to prune, or (above a billion) a time: blocks two hours older may be pruned"
    })
  },
  result: Schema.Number.annotate({ description: "The height of the last block that is pruned" }),
  examples: [{ params: [1000] }],
  call: Effect.fnUntraced(function*({ height }, node) {
    const { chain, network, pruning } = node
    if (pruning === "off") {
      return yield* Effect.fail(callError("PruningDisabled", "Cannot prune blocks because node is not in prune mode."))
    }
    if (height < 0) return yield* Effect.fail(invalidParameter("Negative block height."))
    const tip = chain.state().height
    const wanted = height > FIRST_TIME ? yield* heightAtTime(node, height - TIME_MARGIN) : height
    if (height > FIRST_TIME && wanted > tip) {
      return yield* Effect.fail(invalidParameter("Could not find block with at least the specified timestamp."))
    }
    if (tip < pruneAfterHeight(network)) {
      return yield* Effect.fail(callError("ChainTooShortToPrune", "Blockchain is too short for pruning."))
    }
    if (wanted > tip) {
      return yield* Effect.fail(invalidParameter("Blockchain is shorter than the attempted prune height."))
    }
    return yield* chain.call("pruneTo", { height: Math.min(wanted, tip - MIN_BLOCKS_TO_KEEP) })
  })
})
