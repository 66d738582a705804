import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { described, Hex } from "../answers/result-schema.ts"
import { callError } from "../queries/call-error.ts"

const Signer = Schema.Struct({
  fingerprint: described(Hex, "The fingerprint of its master key"),
  name: described(Schema.String, "What it calls itself")
})

const Signers = Schema.Struct({ signers: described(Schema.Array(Signer), "The devices that sign") })

export const enumeratesigners = method({
  name: "enumeratesigners",
  category: "signer",
  privilege: "anyone",
  description: [
    "Refuses, as Bitcoin Core does without -signer: this node has no wallet, and runs no program that talks to devices.",
    "Such a program signs what createpsbt and utxoupdatepsbt make, and finalizepsbt takes what it has signed."
  ].join("\n"),
  parameters: {},
  result: Signers,
  examples: [{ params: [] }],
  call: () => Effect.fail(callError("Misc", "Error: restart bitcoind with -signer=<cmd>"))
})
