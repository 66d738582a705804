import * as Effect from "effect/Effect"
import { displayHash } from "../../hex.ts"
import { getblockchaininfo } from "../../methods/getblockchaininfo.ts"
import { getdeploymentinfo } from "../../methods/getdeploymentinfo.ts"
import type { RpcError } from "../../queries/rpc-error.ts"
import type { MethodNode } from "../../methods/definition/method-node.ts"
import {
  type Answering,
  hashIn,
  inFormat,
  onlyJson,
  refuseResource,
  type RestFault,
  resultOf
} from "../rest-content.ts"
import { type RestPath, wholeNumber } from "../rest-path.ts"

export const chainInfo = ({ format }: RestPath, node: MethodNode): Answering =>
  onlyJson(format, resultOf(getblockchaininfo, node))

/** The deployments at a block, or at the tip. */
export const deploymentInfo = ({ format, param }: RestPath, node: MethodNode): Answering =>
  onlyJson(
    format,
    Effect.gen(function*() {
      if (param === "") return yield* resultOf(getdeploymentinfo, node)
      const facts = yield* node.chain.call("blockFacts", { hash: yield* hashIn(param) })
      if (facts === undefined) return yield* refuseResource(400, "Block not found")
      return yield* resultOf(getdeploymentinfo, node, param)
    })
  )

const HIGHEST = 2n ** 31n - 1n

/** Characters that a path may have; a message shows no others. */
const UNSAFE = /[^\w!*'();:@&=+$,/?#[\].~%-]/g

/** The hash of the block at a height of the active chain. */
export const blockHashByHeight = Effect.fnUntraced(
  function*(
    { format, param }: RestPath,
    node: MethodNode
  ): Effect.fn.Return<Effect.Success<Answering>, RestFault | RpcError> {
    const height = wholeNumber(param, HIGHEST)
    if (height === undefined) return yield* refuseResource(400, `Invalid height: ${param.replaceAll(UNSAFE, "")}`)
    const hash = yield* node.chain.call("hashAt", { height: Number(height) })
    if (hash === undefined) return yield* refuseResource(404, "Block height out of range")
    const shown = displayHash(hash)
    return yield* inFormat(format, {
      bytes: Effect.succeed(hash),
      hex: shown,
      json: Effect.succeed({ blockhash: shown })
    })
  }
)
