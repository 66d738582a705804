import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { described, Hex } from "../answers/result-schema.ts"
import { callError } from "../queries/call-error.ts"
import { settingName } from "../front/setting-name.ts"

const Exported = Schema.Struct({
  path: described(Schema.String, "The file, with its path"),
  bytes_written: described(Schema.Number, "Its size in bytes"),
  file_hash: described(Hex, "The SHA-256 of its content")
})

export const exportasmap = method({
  name: "exportasmap",
  category: "network",
  privilege: "admin",
  description: [
    "Refuses, as a Bitcoin Core that was built without an asmap does: no asmap is part of this node.",
    `One that ${settingName("[connections].asmap")} names is a file already.`
  ].join("\n"),
  parameters: { path: text({ description: "Where the file is to be" }) },
  result: Exported,
  examples: [{ params: ["asmap.dat"] }],
  call: () => Effect.fail(callError("Misc", "No embedded ASMap data available"))
})
