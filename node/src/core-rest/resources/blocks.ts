import * as Effect from "effect/Effect"
import { JsonNumber } from "../../json/json-value.ts"
import { readBlockBytes } from "../../queries/block-lookup.ts"
import { getblock } from "../../methods/getblock.ts"
import type { RpcError } from "../../queries/rpc-error.ts"
import type { MethodNode } from "../../methods/definition/method-node.ts"
import {
  type Answering,
  hashIn,
  inFormat,
  refuseResource,
  type RestFault,
  restFault,
  resultOf
} from "../rest-content.ts"
import { type RestPath, wholeNumber } from "../rest-path.ts"

const WITH_IDS = new JsonNumber("1")
const WITH_PREVOUTS = new JsonNumber("3")

/** The hash of a block that is here. */
const presentBlock = Effect.fnUntraced(function*(param: string, node: MethodNode) {
  const facts = yield* node.chain.call("blockFacts", { hash: yield* hashIn(param) })
  if (facts === undefined) return yield* refuseResource(404, `${param} not found`)
  if (facts.block !== undefined) return facts
  return yield* refuseResource(404, `${param} not available (${facts.pruned ? "pruned data" : "not fully downloaded"})`)
})

const unreadable = (param: string) => (): RestFault => restFault(500, `I/O error reading ${param}`)

const bytesOf = Effect.fnUntraced(
  function*(param: string, node: MethodNode): Effect.fn.Return<Uint8Array, RestFault | RpcError> {
    const facts = yield* presentBlock(param, node)
    return yield* Effect.mapError(readBlockBytes(node, facts), unreadable(param))
  }
)

const block = (verbosity: JsonNumber) => ({ format, param }: RestPath, node: MethodNode): Answering =>
  Effect.andThen(
    presentBlock(param, node),
    inFormat(format, {
      bytes: bytesOf(param, node),
      json: Effect.mapError(resultOf(getblock, node, param, verbosity), unreadable(param))
    })
  )

export const wholeBlock = block(WITH_PREVOUTS)

export const blockWithIds = block(WITH_IDS)

const LARGEST_SIZE = 2n ** 64n - 1n

/** A piece of a block's bytes, for those who know where in it a transaction stands. */
export const blockPart = Effect.fnUntraced(
  function*(
    { format, param, query }: RestPath,
    node: MethodNode
  ): Effect.fn.Return<Effect.Success<Answering>, RestFault | RpcError> {
    const offset = wholeNumber(query("offset") ?? "", LARGEST_SIZE)
    if (offset === undefined) return yield* refuseResource(400, "Block part offset missing or invalid")
    const size = wholeNumber(query("size") ?? "", LARGEST_SIZE)
    if (size === undefined) return yield* refuseResource(400, "Block part size missing or invalid")
    const bytes = yield* bytesOf(param, node)
    if (size === 0n || offset + size > BigInt(bytes.length)) {
      return yield* refuseResource(400, `Bad block part offset/size ${offset}/${size} for ${param}`)
    }
    return yield* inFormat(format, {
      bytes: Effect.succeed(bytes.subarray(Number(offset), Number(offset + size))),
      json: refuseResource(400, "JSON output is not supported for this request type")
    })
  }
)
