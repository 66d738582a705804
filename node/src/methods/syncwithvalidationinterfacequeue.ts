import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"

export const syncwithvalidationinterfacequeue = method({
  name: "syncwithvalidationinterfacequeue",
  category: "blockchain",
  isHidden: true,
  privilege: "admin",
  description: "Waits until all parts of the node have every notification that the chain had sent when the call came.",
  parameters: {},
  result: Schema.Null,
  examples: [{ params: [] }],
  // Notifications of the engine arrive before the answers to later calls.
  call: Effect.fnUntraced(function*(_, { chain }) {
    yield* chain.call("chainTips", undefined)
    return null
  })
})
