import { method } from "./definition/method.ts"
import { integer } from "./definition/parameter.ts"
import { Tip, timeout, tipWhen } from "./chain/tip-wait.ts"

export const waitforblockheight = method({
  name: "waitforblockheight",
  category: "blockchain",
  privilege: "anyone",
  description: "Waits until the tip is at a height or above, and answers the tip.",
  parameters: { height: integer({ description: "The height to wait for" }), timeout },
  result: Tip,
  examples: [{ params: [100, 1000] }],
  call: ({ height, timeout: milliseconds }, node) => tipWhen(node, (state) => state.height >= height, milliseconds)
})
