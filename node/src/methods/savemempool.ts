import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { described } from "../answers/result-schema.ts"

export const savemempool = method({
  name: "savemempool",
  category: "blockchain",
  privilege: "admin",
  description:
    "Saves the mempool to its file, in Bitcoin Core's format. It fails until the file of the last run has been read.",
  parameters: {},
  result: Schema.Struct({ filename: described(Schema.String, "The file, with its path") }),
  examples: [{ params: [] }],
  call: (_, { chain }) => Effect.map(chain.call("saveMempool", undefined), ({ file }) => ({ filename: file }))
})
