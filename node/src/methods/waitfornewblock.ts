import { bytesEqual } from "@lockstep/kernel/bytes"
import { method } from "./definition/method.ts"
import { hash, optional } from "./definition/parameter.ts"
import { Tip, timeout, tipWhen } from "./chain/tip-wait.ts"

export const waitfornewblock = method({
  name: "waitfornewblock",
  category: "blockchain",
  privilege: "anyone",
  description: "Waits until the tip is another one than before, and answers the tip.",
  parameters: {
    timeout,
    current_tip: optional(hash({ description: "The tip before; that of the moment if missing" }))
  },
  result: Tip,
  examples: [{ params: [1000] }],
  call: ({ current_tip, timeout: milliseconds }, node) => {
    const before = current_tip ?? node.chain.state().hash
    return tipWhen(node, (state) => !bytesEqual(state.hash, before), milliseconds)
  }
})
