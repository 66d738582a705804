import { retargetInterval } from "@lockstep/kernel/header"
import * as Effect from "effect/Effect"
import { periodicYield } from "../options/yield-to-event-loop.ts"
import type { EngineCalls } from "../api/engine-calls.ts"
import type { NetworkWork } from "../api/chain-calls.ts"
import type { QueryError } from "../api/engine-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { activeAt } from "../header-index/active-chain.ts"

/** Headers of one step, after which waiting messages get their turn. */
const AT_ONCE = 4_096

/** Sums the work of the last blocks up to a height, and the time between the earliest and the latest of them. */
export const networkWork = Effect.fnUntraced(function*(
  { parameters, tree }: ChainEngine,
  { blocks, height }: EngineCalls["networkWork"]["in"]
): Effect.fn.Return<NetworkWork, QueryError<"InvalidBlockCount" | "HeightNotInActiveChain">> {
  if (blocks < -1 || blocks === 0) return yield* Effect.fail({ _tag: "InvalidBlockCount", blocks } as const)
  const last = height === -1 ? tree.tip : activeAt(tree, height)
  if (last === undefined) return yield* Effect.fail({ _tag: "HeightNotInActiveChain", height } as const)
  const wanted = blocks === -1 ? last.height % retargetInterval(parameters.work) + 1 : blocks
  const rest = periodicYield()
  let first = last
  let earliest = last.header.time
  let latest = earliest
  for (let i = Math.min(wanted, last.height); i > 0; i--) {
    first = first.parent!
    const { time } = first.header
    earliest = Math.min(earliest, time)
    latest = Math.max(latest, time)
    if (i % AT_ONCE === 0) yield* rest
  }
  return { work: last.chainWork - first.chainWork, seconds: latest - earliest }
})
