import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { activeCalls } from "../../../src/queries/active-calls.ts"
import { method } from "../../../src/methods/definition/method.ts"
import {
  array,
  integer,
  members,
  optional,
  optionalWith,
  text,
  withNamed
} from "../../../src/methods/definition/parameter.ts"
import { Anything } from "../../../src/answers/result-schema.ts"
import type { MethodNode } from "../../../src/methods/definition/method-node.ts"

const described = { description: "d" }

/** A method that answers what it was given, as it read it. */
export const echo = method({
  name: "test",
  category: "util",
  privilege: "anyone",
  description: "Answers what it was given.",
  parameters: {
    first: text({ ...described, aliases: ["one"] }),
    second: optionalWith(integer(described), 7),
    third: optional(withNamed(members(described, Schema.Struct({})), ["fast", "slow"])),
    fourth: optional(array(described, Schema.Array(Schema.String)))
  },
  result: Anything,
  examples: [],
  call: ({ first, fourth, second, third }) => Effect.succeed([first, second, third ?? null, fourth ?? null])
})

/** A node that the method needs nothing of. */
export const node = {
  isStandIn: false,
  checksAnswers: false,
  activeCalls: activeCalls(() => 0 as never)
} as unknown as MethodNode
