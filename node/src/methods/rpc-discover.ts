import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { version } from "../version.ts"
import { moduleMethodsOf } from "./help/module-help.ts"
import { DISCOVERY_METHOD, openRpcText } from "./docs/openrpc.ts"
import { JsonMembers } from "../json/json-value.ts"
import { readJson } from "../json/read-json.ts"
import { method } from "./definition/method.ts"

const Document = Schema.declare(
  (value: unknown): value is JsonMembers => value instanceof JsonMembers,
  { description: "An OpenRPC document, see https://spec.open-rpc.org" }
)

export const rpcDiscover = method({
  name: DISCOVERY_METHOD,
  category: "lockstep",
  privilege: "anyone",
  description: "Answers the OpenRPC document of this server: every method with its parameters and its result.",
  parameters: {},
  result: Document,
  examples: [{ params: [] }],
  call: (_, { methods, modules }) =>
    Effect.sync(() =>
      readJson(openRpcText(methods.values(), version(), moduleMethodsOf({ modules }).added)) as JsonMembers
    )
})
