import { ipcErrorText } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { failed } from "../modules/lifecycle/modules-error.ts"
import type { JsonRead } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { array, optionalWith, stringOf, text } from "./definition/parameter.ts"
import { described } from "../answers/result-schema.ts"
import type { CallError } from "../queries/call-error.ts"
import { fromModules } from "./modules/running-modules.ts"

const textsOf = (values: ReadonlyArray<JsonRead>): Effect.Effect<ReadonlyArray<string>, CallError> =>
  Effect.fromResult(Result.all(values.map(stringOf)))

export const runmodulecli = method({
  name: "runmodulecli",
  category: "modules",
  privilege: "admin",
  description: "Runs a command of a module, and answers what it printed.",
  parameters: {
    module: text({ description: "The name of the module" }),
    subcommand: text({ description: "The name of its command" }),
    arguments: optionalWith(
      array({ description: "What the command takes, as texts" }, Schema.Array(Schema.String)),
      [],
      "[]"
    )
  },
  result: Schema.Struct({
    stdout: described(Schema.String, "What the command printed"),
    stderr: described(Schema.String, "What it printed of errors"),
    exit_code: described(Schema.Number, "0: it succeeded")
  }),
  examples: [{ params: ["stratum", "status"] }, { params: ["stratum", "kick", ["worker-1"]] }],
  call: ({ arguments: given, module, subcommand }, node) =>
    Effect.flatMap(
      textsOf(given),
      (args) =>
        fromModules(node, ({ methods }) =>
          methods.run(module, subcommand, args).pipe(
            Effect.mapError((error) => failed(ipcErrorText(error))),
            Effect.map(({ exitCode, stderr, stdout }) => ({ stdout, stderr, exit_code: exitCode }))
          ))
    )
})
