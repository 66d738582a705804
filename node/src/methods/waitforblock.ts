import { bytesEqual } from "@lockstep/kernel/bytes"
import { method } from "./definition/method.ts"
import { hash } from "./definition/parameter.ts"
import { Tip, timeout, tipWhen } from "./chain/tip-wait.ts"

export const waitforblock = method({
  name: "waitforblock",
  category: "blockchain",
  privilege: "anyone",
  description: "Waits until a block is the tip, and answers the tip.",
  parameters: { blockhash: hash({ description: "The block to wait for" }), timeout },
  result: Tip,
  examples: [{ params: ["0000000000079f8ef3d2c688c244eb7a4570b24c9ed7b4a8c619eb02596f8862", 1000] }],
  call: ({ blockhash, timeout: milliseconds }, node) =>
    tipWhen(node, (state) => bytesEqual(state.hash, blockhash), milliseconds)
})
