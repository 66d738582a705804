import * as Effect from "effect/Effect"
import { DeploymentInfo, deploymentInfo } from "../answers/deployment-info.ts"
import { callError } from "../queries/call-error.ts"
import { method } from "./definition/method.ts"
import { hash, optional } from "./definition/parameter.ts"

export const getdeploymentinfo = method({
  name: "getdeploymentinfo",
  category: "blockchain",
  privilege: "anyone",
  description:
    "Answers which changes of the rules are in force at a block, and how those that miners signal for stand.",
  parameters: { blockhash: optional(hash({ description: "The block; the tip if missing" })) },
  result: DeploymentInfo,
  examples: [{ params: [] }],
  call: Effect.fnUntraced(function*({ blockhash }, { chain }) {
    const facts = yield* chain.call("deployments", { hash: blockhash })
    if (facts === undefined) return yield* Effect.fail(callError("InvalidAddressOrKey", "Block not found"))
    return deploymentInfo(facts)
  })
})
