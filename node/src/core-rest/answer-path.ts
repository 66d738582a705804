import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type HttpAnswer, NOT_FOUND, onlyPost } from "../http/http-answer.ts"
import type { RpcError } from "../queries/rpc-error.ts"
import type { QueriedNode, QueryNode } from "../queries/query-node.ts"
import { blockPart, blockWithIds, wholeBlock } from "./resources/blocks.ts"
import { blockHashByHeight, chainInfo, deploymentInfo } from "./resources/chain.ts"
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

/** Resources by the start of their paths; the first that fits counts. */
const RESOURCES: ReadonlyArray<readonly [start: string, resource: Resource]> = [
  ["tx/", transaction],
  ["block/notxdetails/", blockWithIds],
  ["block/", wholeBlock],
  ["blockpart/", blockPart],
  ["blockfilter/", blockFilter],
  ["blockfilterheaders/", filterHeaders],
  ["chaininfo", chainInfo],
  ["mempool/", mempool],
  ["headers/", headers],
  ["getutxos", utxos],
  ["deploymentinfo/", deploymentInfo],
  ["deploymentinfo", deploymentInfo],
  ["blockhashbyheight/", blockHashByHeight],
  ["spenttxouts/", spentOutputs]
]

const VERBS = new Set(["GET", "POST", "HEAD", "PUT"])

const refused = ({ message, status }: RestFault): HttpAnswer => ({
  status,
  body: `${message}\r\n`,
  headers: { "Content-Type": "text/plain" }
})

const faultOf = (error: RestFault | RpcError): RestFault =>
  error._tag === "RestFault" ? error : restFault(500, error.message)

const DEFECT = restFault(500, "Internal error")

/** Logs what went wrong inside; the answer says that the fault is not the client's. */
const settled = (url: string, cause: Cause.Cause<RestFault | RpcError>): Effect.Effect<RestFault> => {
  const failure = Cause.findError(cause)
  if (Result.isSuccess(failure)) return Effect.succeed(faultOf(failure.success))
  const logged = Effect.logError("a request failed inside the node").pipe(
    Effect.annotateLogs({ category: "rpc", path: url, cause: Cause.pretty(cause) })
  )
  return Effect.as(logged, DEFECT)
}

/** The answer to a request for a path below {@link CORE_REST_PREFIX}. */
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
    Effect.catchCause((cause) => Effect.map(settled(url, cause), refused))
  )
}
