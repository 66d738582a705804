import * as Effect from "effect/Effect"
import { type HttpAnswer, NOT_FOUND, onlyPost } from "../http/http-answer.ts"
import type { CallError } from "../queries/call-error.ts"
import { errorOfCause } from "../queries/error-of-cause.ts"
import type { QueriedNode, QueryNode } from "../queries/query-node.ts"
import { blockPart, blockWithIds, wholeBlock } from "./resources/blocks.ts"
import { blockHashByHeight, chain, deployments } from "./resources/chain.ts"
import { blockFilter, filterHeaders } from "./resources/filters.ts"
import { headers } from "./resources/headers.ts"
import { mempool } from "./resources/mempool.ts"
import { spentOutputs } from "./resources/spent-outputs.ts"
import { transaction } from "./resources/transactions.ts"
import { utxos } from "./resources/utxos.ts"
import { type Answering, type RestFault, restFault } from "./rest-content.ts"
import { type RestPath, restPath } from "./rest-path.ts"

export const CORE_REST_PREFIX = "/rest/"

type Resource = (path: RestPath, node: QueryNode, body: Uint8Array) => Answering

/** Resources by the prefix of their paths. The first match counts. */
const RESOURCES: ReadonlyArray<readonly [start: string, resource: Resource]> = [
  ["tx/", transaction],
  ["block/notxdetails/", blockWithIds],
  ["block/", wholeBlock],
  ["blockpart/", blockPart],
  ["blockfilter/", blockFilter],
  ["blockfilterheaders/", filterHeaders],
  ["chaininfo", chain],
  ["mempool/", mempool],
  ["headers/", headers],
  ["getutxos", utxos],
  ["deploymentinfo/", deployments],
  ["deploymentinfo", deployments],
  ["blockhashbyheight/", blockHashByHeight],
  ["spenttxouts/", spentOutputs]
]

const VERBS = new Set(["GET", "POST", "HEAD", "PUT"])

const refused = (error: RestFault | CallError): HttpAnswer => ({
  status: error._tag === "RestFault" ? error.status : 500,
  body: `${error.message}\r\n`,
  headers: { "Content-Type": "text/plain" }
})

/** Returns the answer to a request for a path below {@link CORE_REST_PREFIX}. */
export const answerPath = (
  verb: string,
  url: string,
  body: Uint8Array,
  target: QueriedNode["Service"]
): Effect.Effect<HttpAnswer> => {
  if (!VERBS.has(verb)) return Effect.succeed(onlyPost(verb))
  const rest = url.slice(CORE_REST_PREFIX.length)
  const found = RESOURCES.find(([start]) => rest.startsWith(start))
  if (found === undefined) return Effect.succeed(NOT_FOUND)
  const [start, resource] = found
  const node = target.node()
  if (typeof node === "string") {
    return Effect.succeed(refused(restFault(503, `Service temporarily unavailable: ${node}`)))
  }
  const path = restPath(rest.slice(start.length))
  return Effect.suspend(() => node.activeCalls.during(CORE_REST_PREFIX + start, resource(path, node, body))).pipe(
    Effect.catchCause((cause) =>
      Effect.map(errorOfCause(cause, "a request failed inside the node", { path: url }), refused)
    )
  )
}
