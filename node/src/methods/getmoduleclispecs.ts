import type { CliSpec } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { described, optionalDescribed } from "../answers/result-schema.ts"
import { fromModules } from "./modules/running-modules.ts"

const Argument = Schema.Struct({
  name: described(Schema.String, "The name of the argument"),
  about: optionalDescribed(Schema.String, "What it is"),
  required: described(Schema.Boolean, "Whether the command needs it")
})

const Command = Schema.Struct({
  name: described(Schema.String, "The name of the command"),
  about: optionalDescribed(Schema.String, "What it does"),
  args: described(Schema.Array(Argument), "What it takes, in this order")
})

const Spec = Schema.Struct({
  name: described(Schema.String, "The name of the module"),
  about: optionalDescribed(Schema.String, "What its commands are for"),
  subcommands: described(Schema.Array(Command), "Its commands")
})

/** The module protocol calls `args` `arguments`. */
const answerOf = ({ subcommands, ...spec }: CliSpec) => ({
  ...spec,
  subcommands: subcommands.map(({ arguments: args, ...command }) => ({ ...command, args }))
})

export const getmoduleclispecs = method({
  name: "getmoduleclispecs",
  category: "modules",
  privilege: "anyone",
  description: "Answers the commands that running modules add, by the names of the modules.",
  parameters: {},
  result: Schema.Record(Schema.String, Spec),
  examples: [{ params: [] }],
  call: (_, node) =>
    fromModules(
      node,
      ({ methods }) =>
        Effect.sync(() => Object.fromEntries(methods.cliSpecs().map((spec) => [spec.name, answerOf(spec)])))
    )
})
