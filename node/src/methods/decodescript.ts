import type { Crypto } from "@lockstep/kernel/crypto"
import { instructionEnd } from "@lockstep/kernel/script"
import { isSuccessOpcode } from "@lockstep/kernel/taproot"
import { isUnspendable } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { inferredMiniscript } from "@lockstep/descriptors/descriptor/miniscript/inferred-miniscript.ts"
import { scriptHashScript, witnessScriptHashScript } from "@lockstep/descriptors/descriptor/scripts.ts"
import { addressOf } from "@lockstep/descriptors/script-text/address.ts"
import { withChecksum } from "@lockstep/descriptors/script-text/descriptor-checksum.ts"
import { inferredDescriptor } from "@lockstep/descriptors/script-text/inferred-descriptor.ts"
import { type ScriptKind, scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import { scriptPubKey } from "../answers/script-pub-key.ts"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { Hex, optionalDescribed, described } from "../answers/result-schema.ts"
import { bytesGiven } from "./raw-transaction/make-transaction.ts"
import { hasValidOperations } from "./raw-transaction/valid-operations.ts"
import type { MethodNode } from "./definition/method-node.ts"

const SegwitScript = Schema.Struct({
  asm: described(Schema.String, "The script in words"),
  desc: described(Schema.String, "A descriptor of the script"),
  hex: described(Hex, "The bytes of the script"),
  address: optionalDescribed(Schema.String, "Its address"),
  type: described(Schema.String, "Its form"),
  "p2sh-segwit": described(Schema.String, "The address of this script wrapped in a script hash")
})

const DecodedScript = Schema.Struct({
  asm: described(Schema.String, "The script in words"),
  desc: described(Schema.String, "A descriptor of the script"),
  address: optionalDescribed(Schema.String, "The address, where the script has one"),
  type: described(Schema.String, "The form of the script, such as pubkeyhash"),
  p2sh: optionalDescribed(Schema.String, "The address of the script wrapped in a script hash, where that makes sense"),
  segwit: optionalDescribed(SegwitScript, "The same with a witness program, where that makes sense")
})

const WRAPPED: ReadonlySet<ScriptKind["type"]> = new Set([
  "multisig",
  "nonstandard",
  "pubkey",
  "pubkeyhash",
  "witness_v0_keyhash",
  "witness_v0_scripthash"
])

const CHECKSIGADD = 0xba

/** Reports whether an instruction has a meaning only in tapscript. Precondition: no instruction is truncated. */
const needsTapscript = (script: Uint8Array): boolean => {
  for (let pc = 0; pc < script.length; pc = instructionEnd(script, pc)) {
    const opcode = script[pc]!
    if (opcode === CHECKSIGADD || isSuccessOpcode(opcode)) return true
  }
  return false
}

/** Reports whether an output may commit to the hash of this script. */
const canBeWrapped = (script: Uint8Array, kind: ScriptKind): boolean =>
  WRAPPED.has(kind.type) && hasValidOperations(script) && !isUnspendable(script) && !needsTapscript(script)

const isCompressed = (key: Uint8Array): boolean => key.length === 33

const keyProgram = (hash: Uint8Array): Uint8Array => Uint8Array.of(0, 20, ...hash)

/** Returns the script of a witness program equivalent to this script, or `undefined` if none exists. */
const segwitScript = (script: Uint8Array, kind: ScriptKind, crypto: Crypto): Uint8Array | undefined => {
  switch (kind.type) {
    case "pubkey":
      return isCompressed(kind.key) ? keyProgram(crypto.hash160(kind.key)) : undefined
    case "pubkeyhash":
      return keyProgram(kind.hash)
    case "multisig":
      return kind.keys.every(isCompressed) ? witnessScriptHashScript(script, crypto) : undefined
    case "nonstandard":
      return witnessScriptHashScript(script, crypto)
    default:
      return undefined
  }
}

/**
 * Returns the descriptor of a script inside wsh(), if the script alone determines it: multisig, or miniscript that
 * shows its keys.
 */
const innerDescriptor = (script: Uint8Array, kind: ScriptKind): string | undefined => {
  const [inferred = ""] = inferredDescriptor(script, kind, undefined).split("#")
  return inferred.startsWith("multi(") ? inferred : inferredMiniscript(script)
}

const segwitPart = (script: Uint8Array, kind: ScriptKind, { crypto, network }: MethodNode) => {
  const outer = segwitScript(script, kind, crypto)
  if (outer === undefined) return undefined
  const shown = scriptPubKey(outer, network.addresses)
  const inner = outer.length === 34 ? innerDescriptor(script, kind) : undefined
  const p2sh = addressOf(scriptKind(scriptHashScript(outer, crypto)), network.addresses)!
  return { ...shown, desc: inner === undefined ? shown.desc : withChecksum(`wsh(${inner})`), "p2sh-segwit": p2sh }
}

export const decodescript = method({
  name: "decodescript",
  category: "rawtransactions",
  privilege: "anyone",
  description: "Answers what a script says, and the addresses of outputs that ask for it.",
  parameters: { hexstring: text({ description: "The script in hexadecimal digits" }) },
  result: DecodedScript,
  examples: [{ params: ["76a914848908f54a2e4a7475dc275baf250a0187b9284a88ac"] }],
  call: Effect.fnUntraced(function*({ hexstring }, node) {
    const script = hexstring === "" ? new Uint8Array(0) : yield* Effect.fromResult(bytesGiven(hexstring, "argument"))
    const kind = scriptKind(script)
    const { address, asm, desc, type } = scriptPubKey(script, node.network.addresses)
    const isWrapped = canBeWrapped(script, kind)
    return {
      asm,
      desc,
      address,
      type,
      p2sh: isWrapped
        ? addressOf(scriptKind(scriptHashScript(script, node.crypto)), node.network.addresses)
        : undefined,
      segwit: isWrapped ? segwitPart(script, kind, node) : undefined
    }
  })
})
