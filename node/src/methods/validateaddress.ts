import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { addressFault } from "./decode/address-fault.ts"
import { addressOf, scriptOfAddress } from "@lockstep/descriptors/script-text/address.ts"
import { hexOf } from "../hex.ts"
import { type ScriptKind, scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { Hex, optionalDescribed, described } from "../answers/result-schema.ts"

const AddressInfo = Schema.Struct({
  isvalid: described(Schema.Boolean, "Whether this is an address of the network"),
  address: optionalDescribed(Schema.String, "The address"),
  scriptPubKey: optionalDescribed(Hex, "The script of outputs that pay to it"),
  isscript: optionalDescribed(Schema.Boolean, "Whether it stands for a script, as far as that shows"),
  iswitness: optionalDescribed(Schema.Boolean, "Whether it is a witness program"),
  witness_version: optionalDescribed(Schema.Number, "The version of the program"),
  witness_program: optionalDescribed(Hex, "The program"),
  error_locations: optionalDescribed(Schema.Array(Schema.Number), "The characters that are most likely wrong"),
  error: optionalDescribed(Schema.String, "What is wrong")
})

const SCRIPTS: Readonly<Partial<Record<ScriptKind["type"], boolean>>> = {
  pubkeyhash: false,
  scripthash: true,
  witness_v0_keyhash: false,
  witness_v0_scripthash: true,
  witness_v1_taproot: true,
  anchor: true
}

const programFields = (kind: ScriptKind) => {
  if (!("program" in kind)) return { iswitness: false }
  return kind.type === "anchor"
    ? { iswitness: true }
    : { iswitness: true, witness_version: kind.version, witness_program: hexOf(kind.program) }
}

export const validateaddress = method({
  name: "validateaddress",
  category: "util",
  privilege: "anyone",
  description:
    "Return information about the given bitcoin address. One that is not valid is answered with what is wrong with it.",
  parameters: { address: text({ description: "The address" }) },
  result: AddressInfo,
  examples: [{ params: ["bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"] }],
  call: ({ address }, { network: { addresses } }) =>
    Effect.sync((): typeof AddressInfo.Type => {
      const script = scriptOfAddress(address, addresses)
      if (script === undefined) {
        const { error, locations } = addressFault(address, addresses)
        return { isvalid: false, error_locations: locations, error }
      }
      const kind = scriptKind(script)
      return {
        isvalid: true,
        address: addressOf(kind, addresses)!,
        scriptPubKey: hexOf(script),
        isscript: SCRIPTS[kind.type],
        ...programFields(kind)
      }
    })
})
