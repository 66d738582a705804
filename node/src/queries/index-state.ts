import * as Effect from "effect/Effect"
import type { IndexName } from "../engine/api/engine-error.ts"
import type { IndexState } from "../engine/api/index-calls.ts"
import type { CallError } from "./call-error.ts"
import type { QueryNode } from "./query-node.ts"

/** Returns the state of an index, or `undefined` if it is switched off. */
export const indexState = (
  { chain }: Pick<QueryNode, "chain">,
  index: IndexName
): Effect.Effect<IndexState | undefined, CallError> =>
  Effect.map(chain.call("indexes", undefined), (indexes) => indexes.find(({ name }) => name === index))
