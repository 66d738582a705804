import * as Effect from "effect/Effect"
import { mempoolContents } from "../../answers/mempool-contents.ts"
import { mempoolInfo } from "../../answers/mempool-info.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { type Answering, onlyJson, refuseResource, type RestFault } from "../rest-content.ts"
import type { RestPath } from "../rest-path.ts"

const flagIn = ({ query }: RestPath, name: string, standard: boolean): Effect.Effect<boolean, RestFault> => {
  const text = query(name) ?? String(standard)
  return text === "true" || text === "false"
    ? Effect.succeed(text === "true")
    : refuseResource(400, `The "${name}" query parameter must be either "true" or "false".`)
}

/** Returns facts about the mempool, or its transactions. */
export const mempool = (path: RestPath, node: QueryNode): Answering => {
  const { format, param } = path
  if (param === "info") return onlyJson(format, mempoolInfo(node))
  if (param !== "contents") {
    return refuseResource(400, "Invalid URI format. Expected /rest/mempool/<info|contents>.json")
  }
  return onlyJson(
    format,
    Effect.gen(function*() {
      const verbose = yield* flagIn(path, "verbose", true)
      const sequence = yield* flagIn(path, "mempool_sequence", false)
      if (verbose && sequence) {
        return yield* refuseResource(
          400,
          "Verbose results cannot contain mempool sequence values. (hint: set \"verbose=false\")"
        )
      }
      return yield* mempoolContents(node, verbose ? "entries" : sequence ? "ids and sequence" : "ids")
    })
  )
}
