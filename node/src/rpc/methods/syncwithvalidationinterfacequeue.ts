import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "../method/method.ts"

export const syncwithvalidationinterfacequeue = method({
  name: "syncwithvalidationinterfacequeue",
  category: "blockchain",
  isHidden: true,
  privilege: "admin",
  description:
    "Waits until everything that the chain had notified of when the call came is told to all parts of the node.",
  parameters: {},
  result: Schema.Null,
  examples: [{ params: [] }],
  // Notifications of the engine come before any answer that it gives later.
  call: Effect.fnUntraced(function*(_, { chain }) {
    yield* chain.call("chainTips", undefined)
    return null
  })
})
