import { instructionEnd, lengthFieldSize } from "@lockstep/kernel/script"
import { scriptNumber } from "@lockstep/kernel/interpreter"
import { isUnspendable } from "@lockstep/kernel/utxo"
import { isEncodedSignature } from "./encoded-signature.ts"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { opcodeName } from "./opcode-names.ts"

const LAST_PUSH = 0x4e

/** Maximum bytes of data that is shown as the number it encodes. */
const MAX_NUMBER = 4

const SIGHASH_NAMES: Readonly<Record<number, string>> = {
  0x01: "ALL",
  0x02: "NONE",
  0x03: "SINGLE",
  0x81: "ALL|ANYONECANPAY",
  0x82: "NONE|ANYONECANPAY",
  0x83: "SINGLE|ANYONECANPAY"
}

const signatureText = (data: Uint8Array): string | undefined => {
  const name = SIGHASH_NAMES[data.at(-1)!]
  return name !== undefined && isEncodedSignature(data) ? `${hexOf(data.subarray(0, -1))}[${name}]` : undefined
}

const disassemble = (script: Uint8Array, textOf: (data: Uint8Array) => string): string => {
  const parts: Array<string> = []
  for (let pc = 0; pc < script.length;) {
    const opcode = script[pc]!
    const end = instructionEnd(script, pc)
    if (end > script.length) {
      parts.push("[error]")
      break
    }
    parts.push(opcode > LAST_PUSH ? opcodeName(opcode) : textOf(script.subarray(pc + 1 + lengthFieldSize(opcode), end)))
    pc = end
  }
  return parts.join(" ")
}

const dataText = (data: Uint8Array): string =>
  data.length > MAX_NUMBER ? hexOf(data) : String(scriptNumber(data, MAX_NUMBER))

/** Disassembles a script: opcodes by name, data in hexadecimal digits, short data as a number. */
export const asmOf = (script: Uint8Array): string => disassemble(script, dataText)

/** Disassembles a script that spends. Signatures show their hash type. */
export const spendingAsmOf = (script: Uint8Array): string =>
  isUnspendable(script)
    ? asmOf(script)
    : disassemble(script, (data) => (data.length > MAX_NUMBER ? signatureText(data) : undefined) ?? dataText(data))
