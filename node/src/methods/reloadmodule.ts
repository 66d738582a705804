import * as Effect from "effect/Effect"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { fromModules, ModuleObject, moduleObject } from "./modules/running-modules.ts"

export const reloadmodule = method({
  name: "reloadmodule",
  category: "modules",
  privilege: "admin",
  description: "Unloads a module and loads it as it is on disk now. Where it may not be loaded, it goes on as it is.",
  parameters: { module: text({ description: "The name of the module" }) },
  result: ModuleObject,
  examples: [{ params: ["zmq"] }],
  call: ({ module }, node) => Effect.map(fromModules(node, ({ reload }) => reload(module)), moduleObject)
})
