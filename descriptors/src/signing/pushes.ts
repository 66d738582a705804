import { concatBytes } from "@lockstep/kernel/bytes"
import { instructionEnd, isPushOnly, lengthFieldSize } from "@lockstep/kernel/script"
import { dataPush } from "../descriptor/scripts.ts"

const smallPush = (element: Uint8Array): Uint8Array => {
  if (element.length === 1 && element[0]! >= 1 && element[0]! <= 16) return Uint8Array.of(0x50 + element[0]!)
  return element.length === 1 && element[0] === 0x81 ? Uint8Array.of(0x4f) : dataPush(element)
}

/** Returns a script that pushes elements, each in its shortest form. */
export const pushes = (elements: ReadonlyArray<Uint8Array>): Uint8Array => concatBytes(elements.map(smallPush))

const PUSHDATA4 = 0x4e
const OP_RESERVED = 0x50

/** Returns the elements that a push-only script leaves; empty for any other script. */
export const pushedBy = (script: Uint8Array): ReadonlyArray<Uint8Array> => {
  if (!isPushOnly(script)) return []
  const elements: Array<Uint8Array> = []
  for (let pc = 0; pc < script.length;) {
    const opcode = script[pc]!
    const end = instructionEnd(script, pc)
    elements.push(
      opcode <= PUSHDATA4
        ? script.subarray(pc + 1 + lengthFieldSize(opcode), end)
        : Uint8Array.of(opcode - OP_RESERVED)
    )
    pc = end
  }
  return elements
}
