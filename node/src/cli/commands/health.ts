import * as Effect from "effect/Effect"
import { commandFailed } from "../command-failure.ts"
import type { GlobalInput } from "../global-options.ts"
import { callersConfig } from "../loaded-config.ts"
import { prettyJson } from "../pretty-json.ts"
import { say } from "../terminal.ts"
import { askNode } from "./node-client.ts"

/**
 * Shows the chain of the configured node; succeeds if it answers. With `isDetailed`, shows the health of its parts and
 * succeeds if none has failed.
 */
export const health = Effect.fn("health")(function*(input: GlobalInput, isDetailed: boolean) {
  const { config } = yield* callersConfig(input)
  const answer = yield* askNode(config, isDetailed ? "gethealth" : "getblockchaininfo")
  yield* say(prettyJson(answer))
  const overall = isDetailed ? answer.get("overall_status") : undefined
  if (overall === "Unhealthy" || overall === "Down") {
    return yield* commandFailed(`the node is ${overall.toLowerCase()}: see the components above`)
  }
})
