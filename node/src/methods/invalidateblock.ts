import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { hash } from "./definition/parameter.ts"

export const invalidateblock = method({
  name: "invalidateblock",
  category: "blockchain",
  isHidden: true,
  privilege: "admin",
  description:
    "Marks a block as invalid for good, as if it broke a rule, and disconnects it and everything on top of it.",
  parameters: { blockhash: hash({ description: "The hash of the block" }) },
  result: Schema.Null,
  examples: [{ params: ["00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"] }],
  call: ({ blockhash }, { chain }) => Effect.as(chain.call("invalidateBlock", { hash: blockhash }), null)
})
