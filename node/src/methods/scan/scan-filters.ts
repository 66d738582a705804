import { filterMatches } from "@lockstep/protocol/filters/basic-filter.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { periodicYield } from "../../engine/options/yield-to-event-loop.ts"
import { displayHash, hexOf } from "../../hex.ts"
import type { ScanUnderWay } from "../definition/block-scan.ts"
import { type CallError, callError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"
import { knownBlock, readBlock } from "../../queries/block-lookup.ts"
import { undoOf } from "../../queries/block-undo.ts"
import { filterMissing } from "../../queries/block-filters.ts"

/** Number of blocks whose filters are requested at once. */
const AT_ONCE = 500

export interface ScanHeights {
  readonly from: number
  readonly to: number
}

/** Returns the heights to scan. Fails if the chain lacks these blocks. */
export const heightsToScan = (
  from: number,
  to: number | undefined,
  tip: number
): Result.Result<ScanHeights, CallError> => {
  if (from < 0 || from > tip) return Result.fail(callError("Misc", "Invalid start_height"))
  const last = to ?? tip
  return last < from || last > tip
    ? Result.fail(callError("Misc", "Invalid stop_height"))
    : Result.succeed({ from, to: last })
}

/** The scripts and heights of a scan. */
export interface FilterScan extends ScanHeights {
  readonly scripts: ReadonlyArray<Uint8Array>
  /** True to read the blocks that the filters match. */
  readonly isExact: boolean
}

/** Reports whether a block actually pays to or spends from one of the scripts. */
const hasScript = Effect.fnUntraced(function*(
  hash: Uint8Array,
  scripts: ReadonlySet<string>,
  node: MethodNode
): Effect.fn.Return<boolean, CallError> {
  const facts = yield* knownBlock(node, hash)
  const { transactions } = yield* readBlock(node, facts)
  const isWanted = ({ script }: { readonly script: Uint8Array }): boolean => scripts.has(hexOf(script))
  if (transactions.some(({ outputs }) => outputs.some(isWanted))) return true
  const undo = yield* undoOf(facts, node)
  return undo !== undefined && undo.spent.some((coins) => coins.some(isWanted))
})

/** Scans the filters of the blocks between two heights, on the active chain at the start of the scan. */
export const scanFilters = Effect.fnUntraced(function*(
  { from, isExact, scripts, to }: FilterScan,
  state: ScanUnderWay,
  node: MethodNode
) {
  const stop = yield* node.chain.call("hashAt", { height: to })
  // Filters contain no empty scripts.
  const wanted = scripts.filter(({ length }) => length > 0)
  const digits = new Set(wanted.map(hexOf))
  const yieldToEventLoop = periodicYield()
  const relevant: Array<string> = []
  let next = from
  state.height = from
  while (next <= to && !state.isAborted) {
    const filters = stop && (yield* node.chain.call("blockFilters", { from: next, stop, most: AT_ONCE }))
    if (filters === undefined) return yield* Effect.fail(filterMissing({ synced: false }))
    for (const { block, filter } of filters) {
      if (state.isAborted) break
      const seems = filterMatches(filter, block, wanted)
      if (seems && (!isExact || (yield* hasScript(block, digits, node)))) relevant.push(displayHash(block))
      state.height = next
      next++
      state.progress = Math.floor((100 * (next - from)) / (to - from + 1))
      yield* yieldToEventLoop
    }
  }
  return { from_height: from, to_height: state.height, relevant_blocks: relevant, completed: next > to }
})
