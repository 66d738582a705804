import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"

export const echoipc = method({
  name: "echoipc",
  category: "control",
  isHidden: true,
  privilege: "anyone",
  description: "Answers its parameter. In Bitcoin Core it may pass through another process; here there is none for it.",
  parameters: { arg: text({ description: "A text" }) },
  result: Schema.String.annotate({ description: "The text" }),
  examples: [{ params: ["a"] }],
  call: ({ arg }) => Effect.succeed(arg)
})
