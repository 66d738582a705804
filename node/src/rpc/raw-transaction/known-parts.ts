import { concatBytes } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import { instructionEnd, isPushOnly, lengthFieldSize } from "@lockstep/kernel/script"
import { isEncodedSignature } from "@lockstep/descriptors/script-text/encoded-signature.ts"
import { hexOf } from "../../hex.ts"
import { scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import type { Satisfaction, Spending } from "./satisfy-input.ts"

/** The elements a script of pushes leaves; none for any other script. */
const pushedBy = (script: Uint8Array): ReadonlyArray<Uint8Array> => {
  if (!isPushOnly(script)) return []
  const elements: Array<Uint8Array> = []
  for (let pc = 0; pc < script.length;) {
    const opcode = script[pc]!
    const end = instructionEnd(script, pc)
    elements.push(
      opcode <= 0x4e ? script.subarray(pc + 1 + lengthFieldSize(opcode), end) : Uint8Array.of(opcode - 0x50)
    )
    pc = end
  }
  return elements
}

const keysIn = (script: Uint8Array): ReadonlyArray<Uint8Array> => {
  const kind = scriptKind(script)
  if (kind.type === "pubkey") return [kind.key]
  return kind.type === "multisig" ? kind.keys : []
}

/** The script that signatures cover: that of a key hash for the program of one. */
const signedScript = (script: Uint8Array): Uint8Array => {
  const kind = scriptKind(script)
  return kind.type === "witness_v0_keyhash" ? Uint8Array.of(0x76, 0xa9, 20, ...kind.program, 0x88, 0xac) : script
}

/** What an input holds already: scripts are added to the ring, signatures and keys are answered. */
export const knownParts = (
  output: Uint8Array,
  { script, witness }: Spending,
  { crypto, digests, ring }: Pick<Satisfaction, "crypto" | "digests" | "ring">
): Pick<Satisfaction, "signatures" | "publicKeys"> => {
  const stack = [...pushedBy(script)]
  const elements = [...stack, ...witness]
  if (scriptKind(output).type === "scripthash" && stack.length > 0) ring.addScript(stack.at(-1)!)
  if (witness.length > 0) ring.addScript(witness.at(-1)!)
  const redeem = ring.scriptBehind(output) ?? output
  const inner = ring.scriptBehind(redeem) ?? redeem
  const shown = elements.filter(({ length }) => length === 33 || length === 65)
  const publicKeys = new Map(shown.map((key) => [hexOf(crypto.hash160(key)), key]))
  const candidates = [...keysIn(inner), ...shown]
  const isWitness = witness.length > 0
  const code = signedScript(inner)
  const signatures = new Map<string, Uint8Array>()
  for (const element of elements) {
    if (!isEncodedSignature(element)) continue
    const digest = (isWitness ? digests.witness : digests.legacy)(code, element.at(-1)!)
    const key = candidates.find((each) => isSignedBy(each, element.subarray(0, -1), digest, crypto))
    if (key !== undefined) signatures.set(hexOf(key), element)
  }
  return { signatures, publicKeys }
}

const word = (der: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(32)
  const digits = der[0] === 0 ? der.subarray(1) : der
  bytes.set(digits.subarray(-32), 32 - Math.min(32, digits.length))
  return bytes
}

/** Precondition: the signature is strictly encoded. */
const isSignedBy = (key: Uint8Array, der: Uint8Array, digest: Uint8Array, crypto: Crypto): boolean => {
  const sAt = 4 + der[3]!
  const signature = concatBytes([word(der.subarray(4, sAt)), word(der.subarray(sAt + 2))])
  return key[0]! <= 4 && crypto.ecdsaVerify(signature, key, digest)
}
