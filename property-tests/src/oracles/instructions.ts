import { fromLittleEndian } from "./byte-string.ts"

/** One instruction: its opcode, the data it pushes (opcodes 0 to 78), where it starts and where the next one starts. */
export interface NaiveInstruction {
  readonly opcode: number
  readonly data: Uint8Array
  readonly start: number
  readonly end: number
}

const NOTHING = new Uint8Array(0)
const LENGTH_BYTES: Readonly<Record<number, number>> = { 76: 1, 77: 2, 78: 4 }

/** The instruction at `start`, or undefined when it is a push that the script cuts off. */
export const instructionAt = (script: Uint8Array, start: number): NaiveInstruction | undefined => {
  const opcode = script[start]!
  if (opcode > 78) return { opcode, data: NOTHING, start, end: start + 1 }
  const dataStart = start + 1 + (LENGTH_BYTES[opcode] ?? 0)
  if (dataStart > script.length) return undefined
  const length = opcode < 76 ? opcode : Number(fromLittleEndian(script.subarray(start + 1, dataStart)))
  if (dataStart + length > script.length) return undefined
  return { opcode, data: script.subarray(dataStart, dataStart + length), start, end: dataStart + length }
}

/**
 * All instructions up to the end or the first cut push; `rest` is where that one starts, the script's length if none.
 */
export const instructionsOf = (
  script: Uint8Array
): { readonly instructions: ReadonlyArray<NaiveInstruction>; readonly rest: number } => {
  const instructions: Array<NaiveInstruction> = []
  let at = 0
  while (at < script.length) {
    const instruction = instructionAt(script, at)
    if (instruction === undefined) break
    instructions.push(instruction)
    at = instruction.end
  }
  return { instructions, rest: at }
}

/** Nothing but pushes: every opcode at most OP_16 (96), none cut. */
export const isPushOnly = (script: Uint8Array): boolean => {
  const { instructions, rest } = instructionsOf(script)
  return rest === script.length && instructions.every(({ opcode }) => opcode <= 96)
}

/** The push of `data` by its size alone: length byte, or OP_PUSHDATA1, 2, 4. */
export const pushOf = (data: Uint8Array): Uint8Array => {
  const n = data.length
  if (n < 76) return Uint8Array.of(n, ...data)
  if (n < 256) return Uint8Array.of(76, n, ...data)
  if (n < 65_536) return Uint8Array.of(77, n & 0xff, n >> 8, ...data)
  return Uint8Array.of(78, n & 0xff, (n >> 8) & 0xff, (n >> 16) & 0xff, n >>> 24, ...data)
}

/** Whether `data` is pushed by the shortest instruction that pushes it, the small integers and OP_1NEGATE included. */
export const isMinimalPush = (opcode: number, data: Uint8Array): boolean => {
  if (data.length === 1 && data[0]! >= 1 && data[0]! <= 16) return false
  if (data.length === 1 && data[0] === 0x81) return false
  return opcode === pushOf(data)[0]
}
