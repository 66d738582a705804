import { MAX_SCRIPT_NUMBER_SIZE } from "../constants.ts"
import type { Bytes } from "../quantities.ts"
import { numberIsMinimal } from "../policy/minimal-data.ts"
import { type Fault, fault, NO_FAULT } from "../script/fault.ts"
import { type Machine, peek } from "../machine/machine.ts"
import { ScriptError } from "../script/script-error.ts"

const EMPTY = new Uint8Array(0)

/**
 * The number that `bytes` encode: little-endian magnitude whose highest bit is the sign. NaN when the operand is longer
 * than `maxSize`, which is never more than five, so that every result is exact in a double.
 *
 *     |bytes| ≤ maxSize
 *
 * Zero has many encodings, negative zero among them; which ones are acceptable is policy (POL-005).
 *
 * @spec SCR-007 #e181523f
 */
export const scriptNumber = (bytes: Bytes, maxSize: number): number => {
  const last = bytes.length - 1
  if (last >= maxSize) return NaN
  if (last < 0) return 0
  let magnitude = bytes[last]! & 0x7f
  for (let i = last - 1; i >= 0; i--) magnitude = magnitude * 256 + bytes[i]!
  return bytes[last]! > 0x7f ? -magnitude : magnitude
}

/**
 * Returns the fault for which {@link operand} returns NaN, or no fault: too long, or (as policy) longer than needed.
 *
 * @internal
 */
export const operandFault = (m: Machine, index: number, maxSize: number = MAX_SCRIPT_NUMBER_SIZE): Fault => {
  const bytes = peek(m, index)
  if (bytes.length > maxSize) return fault("SCR-007", ScriptError.SCRIPTNUM)
  return numberIsMinimal(bytes, m.flags)
}

/**
 * Returns the number `index` positions below the top, or NaN if {@link operandFault} finds a fault. Precondition:
 * `index < m.depth`.
 *
 * @internal
 */
export const operand = (m: Machine, index: number, maxSize: number = MAX_SCRIPT_NUMBER_SIZE): number => {
  const bytes = peek(m, index)
  if (numberIsMinimal(bytes, m.flags) !== NO_FAULT) return NaN
  return scriptNumber(bytes, maxSize)
}

/**
 * The shortest encoding of `value`. Precondition: an integer with |value| < 2³⁹, as sums of operands and sizes are.
 * The array may be shared: elements are never written to.
 *
 * @spec SCR-008 #3e874fd4
 */
export const encodeScriptNumber = (value: number): Bytes => {
  if (value === 0) return EMPTY
  const magnitude = Math.abs(value)
  let length = 1
  for (let rest = Math.floor(magnitude / 128); rest > 0; rest = Math.floor(rest / 256)) length++
  const bytes = new Uint8Array(length)
  let rest = magnitude
  for (let i = 0; i < length; i++) {
    bytes[i] = rest % 256
    rest = Math.floor(rest / 256)
  }
  if (value < 0) bytes[length - 1]! |= 0x80
  return bytes
}

/**
 * Reports whether an element counts as true: some bit is set besides the sign of a zero.
 *
 * @spec SCR-009 #1b9d9dae
 */
export const isTrue = (bytes: Bytes): boolean => {
  const last = bytes.length - 1
  for (let i = 0; i < last; i++) if (bytes[i] !== 0) return true
  return last >= 0 && bytes[last] !== 0 && bytes[last] !== 0x80
}

/** The element that a true comparison pushes. @internal */
export const TRUE = Uint8Array.of(1)
/** The element that a false comparison pushes. @internal */
export const FALSE = EMPTY

/** The element for `holds`. @internal */
export const truth = (holds: boolean): Uint8Array => holds ? TRUE : FALSE
