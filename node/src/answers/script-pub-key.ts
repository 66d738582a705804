import type { AddressPrefixes } from "@lockstep/protocol/networks/network.ts"
import * as Schema from "effect/Schema"
import { Hex, optionalDescribed, described } from "./result-schema.ts"
import { addressOf } from "@lockstep/descriptors/script-text/address.ts"
import { asmOf } from "@lockstep/descriptors/script-text/asm.ts"
import { hexOf } from "../hex.ts"
import { inferredDescriptor } from "@lockstep/descriptors/script-text/inferred-descriptor.ts"
import { scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"

export const ScriptPubKey = Schema.Struct({
  asm: described(Schema.String, "The script in words"),
  desc: described(Schema.String, "A descriptor of the script"),
  hex: described(Hex, "The bytes of the script"),
  address: optionalDescribed(Schema.String, "The address, where the script has one"),
  type: described(Schema.String, "The form of the script, such as pubkeyhash")
})

/** Returns an output script as answers show it. */
export const scriptPubKey = (script: Uint8Array, prefixes: AddressPrefixes): typeof ScriptPubKey.Type => {
  const kind = scriptKind(script)
  const address = addressOf(kind, prefixes)
  return {
    asm: asmOf(script),
    desc: inferredDescriptor(script, kind, address),
    hex: hexOf(script),
    address,
    type: kind.type
  }
}
