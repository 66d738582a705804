import type { Bytes } from "../quantities.ts"
import { Opcode } from "./opcode.ts"

/** A witness version (0 to 16) and the 2 to 40 bytes it gives a meaning to. */
export interface WitnessProgram {
  readonly version: number
  readonly program: Uint8Array
}

/**
 * Returns the witness program that a script consists of, or `undefined`: one small integer 0 to 16 and one direct push
 * of 2 to 40 bytes.
 *
 * @spec WIT-001 #e5c8a8b0
 */
export const witnessProgram = (script: Bytes): WitnessProgram | undefined => {
  if (script.length < 4 || script.length > 42) return undefined
  const first = script[0]!
  if (first !== Opcode.OP_0 && (first < Opcode.OP_1 || first > Opcode.OP_16)) return undefined
  if (script[1]! + 2 !== script.length) return undefined
  return { version: first === Opcode.OP_0 ? 0 : first - Opcode.OP_1 + 1, program: script.subarray(2) }
}

/** Reports whether `script` is a version 1 program of 32 bytes. @internal */
export const isTaprootProgram = (script: Uint8Array): boolean =>
  script.length === 34 && script[0] === Opcode.OP_1 && script[1] === 32
