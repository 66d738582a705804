import * as Effect from "effect/Effect"
import type { GlobalInput } from "../global-options.ts"
import { loadedConfig } from "../loaded-config.ts"

/** Runs the node until it is stopped. */
export const start = Effect.fn("start")(function*(input: GlobalInput) {
  const { config } = yield* loadedConfig(input)
  const { runNode } = yield* Effect.promise(() => import("../../lifecycle/run-node.ts"))
  yield* runNode(config)
})
