import { bytesEqual } from "@lockstep/kernel/bytes"
import { encodeScriptNumber, scriptNumber } from "@lockstep/kernel/interpreter"

const OP_1 = 0x51
const LONGEST = 4

/** Returns the instruction that pushes a non-negative number. */
export const pushNumber = (number: number): Uint8Array => {
  if (number === 0) return Uint8Array.of(0)
  if (number <= 16) return Uint8Array.of(OP_1 + number - 1)
  const bytes = encodeScriptNumber(number)
  return Uint8Array.of(bytes.length, ...bytes)
}

/** Returns the bytes of that instruction. */
export const scriptNumberSize = (number: number): number => pushNumber(number).length

/** Decodes a pushed number. Returns `undefined` if it has too many bytes, or more than needed. */
export const numberOf = (bytes: Uint8Array): number | undefined => {
  const number = bytes.length > LONGEST ? Number.NaN : scriptNumber(bytes, LONGEST)
  return !Number.isNaN(number) && bytesEqual(encodeScriptNumber(number), bytes) ? number : undefined
}
