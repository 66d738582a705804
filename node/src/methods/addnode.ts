import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { helpText } from "./help/help-text.ts"
import { type Method, method } from "./definition/method.ts"
import { boolean, optional, text } from "./definition/parameter.ts"
import { invalidParameter, callError } from "../queries/call-error.ts"
import { runningNetwork } from "./network/running-network.ts"
import { settingName } from "../front/setting-name.ts"

const ADDED = callError("NodeAlreadyAdded", "Error: Node already added")
const FULL = callError(
  "Misc",
  "Error: The list of added nodes is full; remove some of them before adding others"
)
const NOT_ADDED = callError(
  "NodeNotAdded",
  "Error: Node could not be removed. It has not been added previously."
)

export const addnode: Method = method({
  name: "addnode",
  category: "network",
  privilege: "admin",
  description: [
    "Adds a node to those that are kept connected, removes it, or tries to connect to it once.",
    "At most eight such connections stand at a time, beside all other ones. A restart forgets what was added."
  ].join("\n"),
  parameters: {
    node: text({ description: "The address of the node, maybe with a port" }),
    command: text({ description: "\"add\", \"remove\" or \"onetry\"" }),
    v2transport: optional(
      boolean({
        description: `Whether to begin with the encrypted v2 transport; set by ${
          settingName("[connections].v2_transport")
        } when left out`
      })
    )
  },
  result: Schema.Null,
  examples: [{ params: ["192.0.2.1:8333", "onetry"] }],
  call: Effect.fnUntraced(function*({ command, node: name, v2transport }, node) {
    const { connections: { manual }, hasV2 } = yield* runningNetwork(node)
    if (!["add", "remove", "onetry"].includes(command)) {
      return yield* Effect.fail(callError("Misc", helpText(addnode, node)))
    }
    if (v2transport === true && !hasV2) {
      return yield* Effect.fail(invalidParameter("Error: v2transport requested but not enabled (see -v2transport)"))
    }
    if (command === "onetry") manual.once(name, v2transport)
    else if (command === "remove" && !manual.remove(name)) return yield* Effect.fail(NOT_ADDED)
    const objection = command === "add" ? manual.add(name, v2transport) : undefined
    return objection === undefined ? null : yield* Effect.fail(objection === "full" ? FULL : ADDED)
  })
})
