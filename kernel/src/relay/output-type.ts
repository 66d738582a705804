import { MAX_PUBKEYS_PER_MULTISIG } from "../constants.ts"
import type { Bytes } from "../quantities.ts"
import { isPayToScriptHash } from "../interpreter/pay-to-script-hash.ts"
import { instructionEnd, isPushOnly, lengthFieldSize } from "../script/instruction.ts"
import { Opcode } from "../script/opcode.ts"
import { type WitnessProgram, witnessProgram } from "../script/witness-program.ts"

/** The forms of an output, under Bitcoin Core's names. */
export type OutputKind =
  | "nonstandard"
  | "scripthash"
  | "witness_v0_keyhash"
  | "witness_v0_scripthash"
  | "witness_v1_taproot"
  | "anchor"
  | "witness_unknown"
  | "nulldata"
  | "pubkey"
  | "pubkeyhash"
  | "multisig"

/** The form of an output; of a multisig also how many signatures of how many keys it asks for, otherwise 0. */
export interface OutputType {
  readonly kind: OutputKind
  readonly required: number
  readonly keys: number
}

const of = (kind: OutputKind): OutputType => ({ kind, required: 0, keys: 0 })

const programKind = ({ program, version }: WitnessProgram): OutputKind => {
  if (version === 0) {
    return program.length === 20
      ? "witness_v0_keyhash"
      : program.length === 32
      ? "witness_v0_scripthash"
      : "nonstandard"
  }
  if (version === 1 && program.length === 32) return "witness_v1_taproot"
  const isAnchor = version === 1 && program.length === 2 && program[0] === 0x4e && program[1] === 0x73
  return isAnchor ? "anchor" : "witness_unknown"
}

/**
 * Reports whether bytes `from` to `to` have the length that their first byte requires of a public key, including hybrid
 * keys.
 */
const isKeySized = (script: Bytes, from: number, to: number): boolean => {
  const first = script[from]!
  return to - from === (first === 2 || first === 3 ? 33 : first === 4 || first === 6 || first === 7 ? 65 : -1)
}

const isPublicKey = (script: Bytes): boolean =>
  script[0] === script.length - 2 && script[script.length - 1] === Opcode.OP_CHECKSIG &&
  isKeySized(script, 1, script.length - 1)

const isPublicKeyHash = (script: Bytes): boolean =>
  script.length === 25 && script[0] === Opcode.OP_DUP && script[1] === Opcode.OP_HASH160 && script[2] === 20 &&
  script[23] === Opcode.OP_EQUALVERIFY && script[24] === Opcode.OP_CHECKSIG

/**
 * Returns the number 1 to 20 that the instruction at `pc` pushes in its shortest form; 0 if it pushes no such number.
 */
const countAt = (script: Bytes, pc: number): number => {
  const opcode = script[pc]!
  if (opcode >= Opcode.OP_1 && opcode <= Opcode.OP_16) return opcode - Opcode.OP_1 + 1
  const pushed = script[pc + 1]!
  return opcode === 1 && pushed > 16 && pushed <= MAX_PUBKEYS_PER_MULTISIG ? pushed : 0
}

const multisigOf = (script: Bytes): OutputType | undefined => {
  if (script[script.length - 1] !== Opcode.OP_CHECKMULTISIG) return undefined
  const required = countAt(script, 0)
  if (required === 0) return undefined
  let pc = instructionEnd(script, 0)
  let keys = 0
  while (pc < script.length) {
    const end = instructionEnd(script, pc)
    // Of any other instruction, and of a push that is cut off, either no key comes or no number follows.
    if (!isKeySized(script, pc + 1 + lengthFieldSize(script[pc]!), end)) break
    keys++
    pc = end
  }
  const complete = keys >= required && countAt(script, pc) === keys && instructionEnd(script, pc) === script.length - 1
  return complete ? { kind: "multisig", required, keys } : undefined
}

/**
 * Which form an output script is of; the first that fits. The kinds are those of Bitcoin Core.
 *
 * @spec POL-034 #ee1502bb
 */
export const outputType = (script: Bytes): OutputType => {
  if (isPayToScriptHash(script)) return of("scripthash")
  const program = witnessProgram(script)
  if (program !== undefined) return of(programKind(program))
  if (script[0] === Opcode.OP_RETURN && isPushOnly(script.subarray(1))) return of("nulldata")
  if (isPublicKey(script)) return of("pubkey")
  if (isPublicKeyHash(script)) return of("pubkeyhash")
  return multisigOf(script) ?? of("nonstandard")
}
