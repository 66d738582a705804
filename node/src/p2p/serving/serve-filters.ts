import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { NO_FILTER_HEADER } from "@lockstep/protocol/filters/basic-filter.ts"
import { LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { nodeOf } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { DisconnectReason } from "../../runtime/disconnect-reason.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import { type CheckpointHeaders, checkpointHeaders } from "./checkpoint-headers.ts"
import type { FilterCounts } from "./filter-figures.ts"
import { mayBeServed } from "./may-be-served.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

/** The only filter type (BIP158 basic). */
const BASIC = 0

type FilterRequest = MessageOf<"getcfilters"> | MessageOf<"getcfheaders"> | MessageOf<"getcfcheckpt">

/** Inputs for serving filters. */
export interface FilterServing {
  readonly context: P2pContext
  /** Waits until the peer has read most of what was sent, and its share of work is refilled. */
  readonly room: (peer: Peer) => Effect.Effect<void>
  readonly checkpoints: CheckpointHeaders
  readonly counts: FilterCounts
}

export const filterServing = (
  context: P2pContext,
  room: FilterServing["room"],
  counts: FilterCounts
): FilterServing => ({
  context,
  room,
  counts,
  checkpoints: checkpointHeaders(context.chain.filterHeaders)
})

/** Returns the reason to disconnect a peer for a range of filters, or `undefined` if the range is valid. */
const rangeObjection = (start: number, stop: number, most: number): DisconnectReason | undefined => {
  if (start > stop) return { _tag: "FilterRangeInvalid", start, stop }
  const count = stop - start + 1
  return count > most ? { _tag: "FiltersTooMany", count, most } : undefined
}

/**
 * Returns the last block of the request, or the reason to disconnect the peer. The checks are in Bitcoin Core's order.
 */
const stopOf = (
  { context }: FilterServing,
  { filterType, stop }: FilterRequest
): Result.Result<HeaderIndexNode, DisconnectReason> => {
  if (filterType !== BASIC || !offers(context.services(), ServiceFlag.COMPACT_FILTERS)) {
    return Result.fail({ _tag: "FilterTypeUnsupported", filterType })
  }
  const node = nodeOf(context.chain.tree, stop)
  return node !== undefined && mayBeServed(node, context)
    ? Result.succeed(node)
    : Result.fail({ _tag: "FilterBlockInvalid", hash: stop.slice() })
}

/**
 * Returns the last block of a range of at most `most` filters. Disconnects the peer and returns `undefined` if its
 * request is invalid.
 */
const endOfRange = (
  serving: FilterServing,
  peer: Peer,
  request: MessageOf<"getcfilters"> | MessageOf<"getcfheaders">,
  most: number
): HeaderIndexNode | undefined => {
  const end = stopOf(serving, request)
  const objection = Result.isFailure(end)
    ? end.failure
    : rangeObjection(request.startHeight, end.success.height, most)
  if (objection !== undefined) peer.disconnect(objection)
  return objection === undefined ? Result.getOrUndefined(end) : undefined
}

/** Sends the filters of a range in order. The first filter missing from the index ends the answer. */
export const serveFilters = Effect.fnUntraced(function*(
  serving: FilterServing,
  peer: Peer,
  request: MessageOf<"getcfilters">
) {
  const { blockFilters } = serving.context.chain
  const end = endOfRange(serving, peer, request, LIMITS.filterRange.most)
  if (end === undefined || blockFilters === undefined) return
  for (let from = request.startHeight; from <= end.height;) {
    const portion = Math.min(SERVING_LIMITS.filtersAtATime.most, end.height - from + 1)
    const filters = yield* blockFilters({ from, stop: end.hash, most: portion })
    if (filters === undefined) return
    for (const { block, filter } of filters) {
      yield* serving.room(peer)
      if (peer.isGone) return
      peer.send({ command: "cfilter", filterType: BASIC, block, filter })
      serving.counts.count(peer, "cfilter")
    }
    from += filters.length
  }
})

/** Sends the filter hashes of a range, and the filter header before it. */
export const serveFilterHeaders = Effect.fnUntraced(function*(
  serving: FilterServing,
  peer: Peer,
  request: MessageOf<"getcfheaders">
) {
  const { filterHeaders } = serving.context.chain
  const end = endOfRange(serving, peer, request, LIMITS.filterHeaderRange.most)
  if (end === undefined || filterHeaders === undefined) return
  // The header before the range is fetched with it, unless the range begins at genesis.
  const first = Math.max(0, request.startHeight - 1)
  const heights = Array.from({ length: end.height - first + 1 }, (_, i) => first + i)
  const found = yield* filterHeaders({ heights, stop: end.hash })
  if (found === undefined) return
  const [before, range] = request.startHeight === 0 ? [undefined, found] : [found[0], found.slice(1)]
  peer.send({
    command: "cfheaders",
    filterType: BASIC,
    stop: request.stop,
    previous: before?.header ?? NO_FILTER_HEADER,
    filterHashes: range.map(({ filterHash }) => filterHash)
  })
  serving.counts.count(peer, "cfheaders")
})

/** Sends the filter header of every thousandth block. */
export const serveFilterCheckpoints = Effect.fnUntraced(function*(
  serving: FilterServing,
  peer: Peer,
  request: MessageOf<"getcfcheckpt">
) {
  const end = stopOf(serving, request)
  if (Result.isFailure(end)) {
    peer.disconnect(end.failure)
    return
  }
  const filterHeaders = yield* serving.checkpoints(serving.context.chain.tree, end.success)
  if (filterHeaders !== undefined) {
    peer.send({ command: "cfcheckpt", filterType: BASIC, stop: request.stop, filterHeaders })
    serving.counts.count(peer, "cfcheckpt")
  }
})
