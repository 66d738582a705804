import { ascii, fromHex, join } from "../../src/oracles/byte-string.ts"
import { pushOf } from "../../src/oracles/instructions.ts"
import { bytesOfNumber } from "../../src/oracles/script-number.ts"
import { OPCODE_NAMES } from "../../src/arbitraries/opcode.ts"

const NUMBERS = new Map(OPCODE_NAMES.map((name, opcode) => [name, opcode]))

const decimal = (value: bigint): Uint8Array => {
  if (value === 0n) return Uint8Array.of(0)
  if (value === -1n || (value >= 1n && value <= 16n)) return Uint8Array.of(Number(value) + 80)
  return pushOf(bytesOfNumber(value))
}

const wordBytes = (word: string): Uint8Array => {
  if (/^-?[0-9]+$/.test(word)) return decimal(BigInt(word))
  if (/^0x([0-9a-fA-F]{2})*$/.test(word)) return fromHex(word.slice(2))
  if (/^'.*'$/.test(word)) return pushOf(ascii(word.slice(1, -1)))
  const opcode = NUMBERS.get(word.replace(/^OP_/, ""))
  if (opcode === undefined) throw new Error(`no such word in a script: ${word}`)
  return Uint8Array.of(opcode)
}

/** The script that the words of the reference test files stand for. */
export const assemble = (text: string): Uint8Array =>
  join(
    ...text
      .split(/\s+/)
      .filter((word) => word !== "")
      .map(wordBytes)
  )
