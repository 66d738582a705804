import * as Effect from "effect/Effect"
import { chainInfo } from "../../answers/chain-info.ts"
import { deploymentInfo } from "../../answers/deployment-info.ts"
import { displayHash } from "../../hex.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { type Answering, hashIn, inFormat, onlyJson, refuseResource } from "../rest-content.ts"
import { type RestPath, wholeNumber } from "../rest-path.ts"

export const chain = ({ format }: RestPath, node: QueryNode): Answering =>
  onlyJson(format, Effect.sync(() => chainInfo(node)))

/** Returns the deployments at a block, or at the tip. */
export const deployments = ({ format, param }: RestPath, node: QueryNode): Answering =>
  onlyJson(
    format,
    Effect.gen(function*() {
      const facts = yield* node.chain.call("deployments", { hash: param === "" ? undefined : yield* hashIn(param) })
      return facts === undefined ? yield* refuseResource(400, "Block not found") : deploymentInfo(facts)
    })
  )

const HIGHEST = 2n ** 31n - 1n

/** Characters that a path may not have. Error messages omit them. */
const UNSAFE = /[^\w!*'();:@&=+$,/?#[\].~%-]/g

/** Returns the hash of the block at a height of the active chain. */
export const blockHashByHeight = Effect.fnUntraced(function*({ format, param }: RestPath, node: QueryNode) {
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
})
