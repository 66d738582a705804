import * as Effect from "effect/Effect"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { fromModules, ModuleObject, moduleObject } from "./modules/running-modules.ts"

export const loadmodule = method({
  name: "loadmodule",
  category: "modules",
  privilege: "admin",
  description:
    "Loads a module from the directory of modules, after those that it needs. The answer comes when it runs.",
  parameters: { module: text({ description: "The name of the module" }) },
  result: ModuleObject,
  examples: [{ params: ["zmq"] }],
  call: ({ module }, node) => Effect.map(fromModules(node, ({ load }) => load(module)), moduleObject)
})
