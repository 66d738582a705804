import * as Effect from "effect/Effect"
import type { BlockFacts } from "../../engine/api/chain-calls.ts"
import { blockJson } from "../../answers/block-json.ts"
import { readBlockBytes } from "../../queries/block-lookup.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { type Answering, namedBlock, inFormat, refuseResource, type RestFault, restFault } from "../rest-content.ts"
import { type RestPath, wholeNumber } from "../rest-path.ts"

/** Returns the facts of a block whose bytes are on disk. */
const presentBlock = Effect.fnUntraced(function*(param: string, node: QueryNode) {
  const facts = yield* namedBlock(param, node)
  if (facts.block !== undefined) return facts
  return yield* refuseResource(404, `${param} not available (${facts.pruned ? "pruned data" : "not fully downloaded"})`)
})

const unreadable = (param: string) => (): RestFault => restFault(500, `I/O error reading ${param}`)

const bytesOf = (facts: BlockFacts, param: string, node: QueryNode): Effect.Effect<Uint8Array, RestFault> =>
  Effect.mapError(readBlockBytes(node, facts), unreadable(param))

const block = (detail: "ids" | "prevouts") => ({ format, param }: RestPath, node: QueryNode): Answering =>
  Effect.flatMap(presentBlock(param, node), (facts) =>
    inFormat(format, {
      bytes: bytesOf(facts, param, node),
      json: Effect.mapError(blockJson(node, facts, detail), unreadable(param))
    }))

export const wholeBlock = block("prevouts")

export const blockWithIds = block("ids")

const LARGEST_SIZE = 2n ** 64n - 1n

/** Returns a part of a block's bytes, for clients that know the offset of a transaction. */
export const blockPart = Effect.fnUntraced(function*({ format, param, query }: RestPath, node: QueryNode) {
  const offset = wholeNumber(query("offset") ?? "", LARGEST_SIZE)
  if (offset === undefined) return yield* refuseResource(400, "Block part offset missing or invalid")
  const size = wholeNumber(query("size") ?? "", LARGEST_SIZE)
  if (size === undefined) return yield* refuseResource(400, "Block part size missing or invalid")
  const bytes = yield* bytesOf(yield* presentBlock(param, node), param, node)
  if (size === 0n || offset + size > BigInt(bytes.length)) {
    return yield* refuseResource(400, `Bad block part offset/size ${offset}/${size} for ${param}`)
  }
  return yield* inFormat(format, {
    bytes: Effect.succeed(bytes.subarray(Number(offset), Number(offset + size))),
    json: refuseResource(400, "JSON output is not supported for this request type")
  })
})
