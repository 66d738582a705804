import { concatBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import type { BlockFacts } from "../../engine/api/chain-calls.ts"
import { headerJson } from "../../answers/header-json.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { hashIn, inFormat, refuseResource, type RestFault } from "../rest-content.ts"
import { type RestPath, wholeNumber } from "../rest-path.ts"

const MOST_HEADERS = 2_000n

/** Reads the number of requested headers. Fails if it is out of range. */
export const headerCount = (text: string): Effect.Effect<number, RestFault> => {
  const count = wholeNumber(text, MOST_HEADERS)
  return count === undefined || count === 0n
    ? refuseResource(400, `Header count is invalid or out of acceptable range (1-${MOST_HEADERS}): ${text}`)
    : Effect.succeed(Number(count))
}

/** Returns the `count` of the query string, or its default. */
export const countIn = ({ query }: RestPath): string => query("count") ?? "5"

/** Returns a block of the active chain and its successors, or an empty list if the block is not in the active chain. */
export const activeBlocks = Effect.fnUntraced(function*({ chain }: QueryNode, first: Uint8Array, most: number) {
  const found: Array<BlockFacts> = []
  let hash: Uint8Array | undefined = first
  while (hash !== undefined && found.length < most) {
    const facts: BlockFacts | undefined = yield* chain.call("blockFacts", { hash })
    if (facts === undefined || facts.confirmations < 0) break
    found.push(facts)
    hash = facts.next
  }
  return found
})

export const headers = Effect.fnUntraced(function*(path: RestPath, node: QueryNode) {
  const parts = path.param.split("/")
  if (parts.length > 2) {
    return yield* refuseResource(400, "Invalid URI format. Expected /rest/headers/<hash>.<ext>?count=<count>")
  }
  const [hash = "", count = ""] = parts.length === 2 ? parts.toReversed() : [parts[0], countIn(path)]
  const most = yield* headerCount(count)
  const found = yield* activeBlocks(node, yield* hashIn(hash), most)
  return yield* inFormat(path.format, {
    bytes: Effect.sync(() => concatBytes(found.map(({ header }) => header))),
    json: Effect.sync(() => found.map(headerJson))
  })
})
