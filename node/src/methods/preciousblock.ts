import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { hash } from "./definition/parameter.ts"

export const preciousblock = method({
  name: "preciousblock",
  category: "blockchain",
  privilege: "admin",
  description: [
    "Prefers a block to all others with as much work, as if it had arrived first.",
    "A later call overrides an earlier one, and a restart forgets it."
  ].join(" "),
  parameters: { blockhash: hash({ description: "The hash of the block" }) },
  result: Schema.Null,
  examples: [{ params: ["00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"] }],
  call: ({ blockhash }, { chain }) => Effect.as(chain.call("preciousBlock", { hash: blockhash }), null)
})
