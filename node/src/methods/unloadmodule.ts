import * as Effect from "effect/Effect"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { fromModules, ModuleObject, moduleObject } from "./modules/running-modules.ts"

export const unloadmodule = method({
  name: "unloadmodule",
  category: "modules",
  privilege: "admin",
  description:
    "Unloads a module. It is asked to end, and killed if it has not after 5 seconds. The next start of the node loads it again.",
  parameters: { module: text({ description: "The name of the module" }) },
  result: ModuleObject,
  examples: [{ params: ["zmq"] }],
  call: ({ module }, node) => Effect.map(fromModules(node, ({ unload }) => unload(module)), moduleObject)
})
