import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { fromModules, ModuleObject, moduleObject } from "./modules/running-modules.ts"

export const listmodules = method({
  name: "listmodules",
  category: "modules",
  privilege: "anyone",
  description: "Answers every module that was found, whether it runs, and why not.",
  parameters: {},
  result: Schema.Array(ModuleObject),
  examples: [{ params: [] }],
  call: (_, node) => fromModules(node, ({ list }) => Effect.sync(() => list().map(moduleObject)))
})
