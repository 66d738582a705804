import type { AddressPrefixes } from "@lockstep/protocol/networks/network.ts"
import * as Schema from "effect/Schema"
import { Hex, maybe, told } from "../method/result-schema.ts"
import { addressOf } from "./address.ts"
import { asmOf } from "./asm.ts"
import { hexOf } from "./hex.ts"
import { inferredDescriptor } from "./inferred-descriptor.ts"
import { scriptKind } from "./script-kind.ts"

export const ScriptPubKey = Schema.Struct({
  asm: told(Schema.String, "The script in words"),
  desc: told(Schema.String, "A descriptor of the script"),
  hex: told(Hex, "The bytes of the script"),
  address: maybe(Schema.String, "The address, where the script has one"),
  type: told(Schema.String, "The form of the script, such as pubkeyhash")
})

/** An output script as answers show it. */
export const scriptPubKey = (script: Uint8Array, prefixes: AddressPrefixes): typeof ScriptPubKey.Type => {
  const kind = scriptKind(script)
  const address = addressOf(kind, prefixes)
  return { asm: asmOf(script), desc: inferredDescriptor(script, kind, address), hex: hexOf(script), address, type: kind.type }
}
