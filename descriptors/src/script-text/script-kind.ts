import { instructionEnd, isPushOnly, lengthFieldSize, witnessProgram } from "@lockstep/kernel/script"
import { scriptNumber } from "@lockstep/kernel/interpreter"

/** The named forms of output scripts, with their usual names. */
export type ScriptKind =
  | { readonly type: "pubkey"; readonly key: Uint8Array }
  | { readonly type: "pubkeyhash" | "scripthash"; readonly hash: Uint8Array }
  | { readonly type: "multisig"; readonly required: number; readonly keys: ReadonlyArray<Uint8Array> }
  | { readonly type: WitnessType; readonly version: number; readonly program: Uint8Array }
  | { readonly type: "nulldata" | "nonstandard" }

export type WitnessType =
  | "witness_v0_keyhash"
  | "witness_v0_scripthash"
  | "witness_v1_taproot"
  | "anchor"
  | "witness_unknown"

const Op = {
  PUSHDATA1: 0x4c,
  PUSHDATA4: 0x4e,
  OP_1: 0x51,
  OP_16: 0x60,
  RETURN: 0x6a,
  DUP: 0x76,
  EQUAL: 0x87,
  EQUALVERIFY: 0x88,
  HASH160: 0xa9,
  CHECKSIG: 0xac,
  CHECKMULTISIG: 0xae
} as const

const MAX_MULTISIG_KEYS = 20

const isScriptHash = (script: Uint8Array): boolean =>
  script.length === 23 && script[0] === Op.HASH160 && script[1] === 20 && script[22] === Op.EQUAL

const isKeyHash = (script: Uint8Array): boolean =>
  script.length === 25 && script[0] === Op.DUP && script[1] === Op.HASH160 && script[2] === 20 &&
  script[23] === Op.EQUALVERIFY && script[24] === Op.CHECKSIG

/** Reports whether data has the length that its first byte requires of a public key, including hybrid keys (06, 07). */
const hasLengthOfKey = (data: Uint8Array): boolean => {
  const first = data[0]
  if (first === 2 || first === 3) return data.length === 33
  return (first === 4 || first === 6 || first === 7) && data.length === 65
}

const soleKey = (script: Uint8Array): Uint8Array | undefined => {
  const length = script.length - 2
  if ((length !== 33 && length !== 65) || script[0] !== length || script.at(-1) !== Op.CHECKSIG) return undefined
  const key = script.subarray(1, -1)
  return hasLengthOfKey(key) ? key : undefined
}

const witnessType = (version: number, program: Uint8Array): WitnessType | undefined => {
  if (version === 0) {
    return program.length === 20 ? "witness_v0_keyhash" : program.length === 32 ? "witness_v0_scripthash" : undefined
  }
  if (version === 1 && program.length === 32) return "witness_v1_taproot"
  if (version === 1 && program.length === 2 && program[0] === 0x4e && program[1] === 0x73) return "anchor"
  return "witness_unknown"
}

/** Returns the count in an instruction, of signatures or keys: OP_1 to OP_16 or a minimal push. */
const countAt = (opcode: number, data: Uint8Array): number => {
  if (opcode >= Op.OP_1 && opcode <= Op.OP_16) return opcode - Op.OP_1 + 1
  // The least number beyond OP_1 to OP_16 is 17, and the largest count here is 20: one byte, pushed directly.
  const count = opcode === 1 ? scriptNumber(data, 1) : NaN
  return count > 16 && count <= MAX_MULTISIG_KEYS ? count : NaN
}

const multisig = (script: Uint8Array): ScriptKind | undefined => {
  if (script.at(-1) !== Op.CHECKMULTISIG) return undefined
  const keys: Array<Uint8Array> = []
  let required = NaN
  for (let pc = 0; pc < script.length - 1;) {
    const opcode = script[pc]!
    const end = instructionEnd(script, pc)
    if (end >= script.length) return undefined
    const data = opcode > Op.PUSHDATA4 ? script.subarray(0, 0) : script.subarray(pc + 1 + lengthFieldSize(opcode), end)
    if (pc === 0) {
      required = countAt(opcode, data)
      if (Number.isNaN(required)) return undefined
    } else if (hasLengthOfKey(data)) {
      keys.push(data)
    } else {
      const isLast = end === script.length - 1
      return isLast && countAt(opcode, data) === keys.length && required <= keys.length
        ? { type: "multisig", required, keys }
        : undefined
    }
    pc = end
  }
  return undefined
}

/** Classifies an output script. */
export const scriptKind = (script: Uint8Array): ScriptKind => {
  if (isScriptHash(script)) return { type: "scripthash", hash: script.subarray(2, 22) }
  const witness = witnessProgram(script)
  if (witness !== undefined) {
    const type = witnessType(witness.version, witness.program)
    return type === undefined ? { type: "nonstandard" } : { type, ...witness }
  }
  if (script[0] === Op.RETURN && isPushOnly(script.subarray(1))) return { type: "nulldata" }
  const key = soleKey(script)
  if (key !== undefined) return { type: "pubkey", key }
  if (isKeyHash(script)) return { type: "pubkeyhash", hash: script.subarray(3, 23) }
  return multisig(script) ?? { type: "nonstandard" }
}
