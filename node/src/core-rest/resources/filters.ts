import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import type { FilterHeader } from "../../engine/api/index-calls.ts"
import { displayHash, hexOf } from "../../hex.ts"
import { filterIndexState, filterMissing, filterOf } from "../../queries/block-filters.ts"
import type { CallErrorTag } from "../../queries/call-error.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { hashIn, inFormat, refuseResource, restFault } from "../rest-content.ts"
import type { RestPath } from "../rest-path.ts"
import { activeBlocks, countIn, headerCount } from "./headers.ts"

const BASIC = "basic"
const BASIC_TYPE = new Uint8Array([0])

const indexOf = (type: string, node: QueryNode) =>
  type === BASIC
    ? Effect.mapError(filterIndexState(type, node), ({ message }) => restFault(400, message))
    : refuseResource(400, `Unknown filtertype ${type}`)

const NOT_FOUND: ReadonlySet<CallErrorTag> = new Set(["BlockNeverConnected", "FilterMissing", "FilterNotIndexed"])

/** Returns the filter of a block (BIP158). */
export const blockFilter = Effect.fnUntraced(function*({ format, param }: RestPath, node: QueryNode) {
  const parts = param.split("/")
  const [type = "", text = ""] = parts
  if (parts.length !== 2) {
    return yield* refuseResource(400, "Invalid URI format. Expected /rest/blockfilter/<filtertype>/<blockhash>")
  }
  const stop = yield* hashIn(text)
  const index = yield* indexOf(type, node)
  const facts = yield* node.chain.call("blockFacts", { hash: stop })
  if (facts === undefined) return yield* refuseResource(404, `${text} not found`)
  const { filter } = yield* Effect.mapError(
    filterOf(node, facts, index),
    (error) => NOT_FOUND.has(error._tag) ? restFault(404, error.message) : error
  )
  return yield* inFormat(format, {
    bytes: Effect.succeed(concatBytes([BASIC_TYPE, stop, encodeCompactSize(filter.length), filter])),
    json: Effect.succeed({ filter: hexOf(filter) })
  })
})

/** Returns the filter headers (BIP157) of a block of the active chain and of its successors. */
export const filterHeaders = Effect.fnUntraced(function*(path: RestPath, node: QueryNode) {
  const parts = path.param.split("/")
  if (parts.length < 2 || parts.length > 3) {
    return yield* refuseResource(
      400,
      "Invalid URI format. Expected /rest/blockfilterheaders/<filtertype>/<blockhash>.<ext>?count=<count>"
    )
  }
  const [type = "", count = "", text = ""] = parts.length === 3 ? parts : [parts[0], countIn(path), parts[1]]
  const most = yield* headerCount(count)
  const first = yield* hashIn(text)
  const index = yield* indexOf(type, node)
  const blocks = yield* activeBlocks(node, first, most)
  const last = blocks.at(-1)
  const heights = blocks.map(({ height }) => height)
  const found: ReadonlyArray<FilterHeader> | undefined = last === undefined
    ? []
    : yield* node.chain.call("filterHeaders", { heights, stop: last.hash })
  if (found === undefined) return yield* refuseResource(404, filterMissing(index).message)
  return yield* inFormat(path.format, {
    bytes: Effect.sync(() => concatBytes(found.map(({ header }) => header))),
    json: Effect.sync(() => found.map(({ header }) => displayHash(header)))
  })
})
