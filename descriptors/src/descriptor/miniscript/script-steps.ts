import { bytesEqual } from "@lockstep/kernel/bytes"
import { instructionEnd, lengthFieldSize } from "@lockstep/kernel/script"
import { dataPush } from "../scripts.ts"
import { numberOf, pushNumber } from "./script-number.ts"

/** An instruction. One that includes VERIFY is split in two. */
export interface ScriptStep {
  readonly code: number
  /** Data that it pushes. */
  readonly data: Uint8Array | undefined
  /** Number that it pushes, if the data is one. */
  readonly number: number | undefined
}

export const VERIFY = 0x69

/** Instructions whose next code includes VERIFY: EQUAL, NUMEQUAL, CHECKSIG, CHECKMULTISIG. */
const CHECKS: ReadonlySet<number> = new Set([0x87, 0x9c, 0xac, 0xae])
const LAST_PUSH = 0x4e
const OP_1 = 0x51
const OP_16 = 0x60
const OP_1NEGATE_DATA = 0x81

/**
 * Returns the shortest instruction that pushes these bytes. Returns `undefined` for a negative number whose opcode has
 * no data.
 */
const shortestPush = (data: Uint8Array): Uint8Array | undefined => {
  if (data.length === 0) return Uint8Array.of(0)
  if (data.length > 1) return dataPush(data)
  const [only = 0] = data
  if (only === OP_1NEGATE_DATA) return undefined
  return only >= 1 && only <= 16 ? pushNumber(only) : dataPush(data)
}

/** Splits a script into steps. Returns `undefined` if it is truncated, or not encoded minimally. */
export const stepsOf = (script: Uint8Array): ReadonlyArray<ScriptStep> | undefined => {
  const steps: Array<ScriptStep> = []
  for (let at = 0; at < script.length;) {
    const code = script[at]!
    const end = instructionEnd(script, at)
    if (end > script.length) return undefined
    if (code <= LAST_PUSH) {
      const data = script.slice(at + 1 + lengthFieldSize(code), end)
      const shortest = shortestPush(data)
      if (shortest === undefined || !bytesEqual(script.subarray(at, end), shortest)) return undefined
      steps.push({ code, data, number: numberOf(data) })
    } else if (code >= OP_1 && code <= OP_16) {
      steps.push({ code, data: undefined, number: code - OP_1 + 1 })
    } else if (CHECKS.has(code - 1)) {
      steps.push({ code: code - 1, data: undefined, number: undefined }, {
        code: VERIFY,
        data: undefined,
        number: undefined
      })
    } else {
      if (CHECKS.has(code) && script[end] === VERIFY) return undefined
      steps.push({ code, data: undefined, number: undefined })
    }
    at = end
  }
  return steps
}
