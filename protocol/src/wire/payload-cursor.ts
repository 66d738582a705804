import { advance, type Cursor, cursorOn, readBytes, readCompactSize, readUint8 } from "@lockstep/kernel/bytes"
import { violation } from "@lockstep/kernel/verdict"
import type { Counted, PayloadFault } from "./fault.ts"

/**
 * A position in a payload that is being decoded. Faults of the kernel's readers are kept in `broken`, and violations of
 * a message's own rules in `fault`. After either, values read are meaningless, and loops end. A list that is too long
 * is kept in `excess`, which counts only if there is no other fault up to the end of the message.
 */
export interface PayloadCursor extends Cursor {
  fault: PayloadFault | undefined
  excess: PayloadFault | undefined
}

/** Opens a cursor at the start of `payload`. */
export const payloadCursor = (payload: Uint8Array): PayloadCursor => ({
  ...cursorOn(payload),
  fault: undefined,
  excess: undefined
})

/** Reports whether no fault has been found so far. */
export const isIntact = (cursor: PayloadCursor): boolean => cursor.broken === undefined && cursor.fault === undefined

/** Returns the first fault, or `undefined` if there was no fault. */
export const faultOf = ({ broken, excess, fault }: PayloadCursor): PayloadFault | undefined =>
  fault ?? (broken === undefined ? excess : { _tag: "Malformed", rule: broken.rule, offset: broken.detail.offset })

/** Records that a message forbids the value read, unless a fault was recorded before. */
export const refuse = (cursor: PayloadCursor, fault: PayloadFault): void => {
  if (isIntact(cursor)) cursor.fault = fault
}

/**
 * Reads the number of elements that follow: a compact size of at most `most`; 0 after a fault. A larger one is refused
 * at once, whether or not the elements follow.
 */
export const readCount = (cursor: PayloadCursor, what: Counted, most: number): number => {
  const count = readCompactSize(cursor)
  if (count <= most) return count
  refuse(cursor, { _tag: "TooMany", what, count, most })
  return 0
}

/** Reads `count` elements, fewer if one of them is invalid. Nothing is allocated for missing elements. */
export const readMany = <A>(cursor: PayloadCursor, count: number, readOne: (cursor: PayloadCursor) => A): Array<A> => {
  const elements: Array<A> = []
  for (let i = 0; i < count && isIntact(cursor); i++) elements.push(readOne(cursor))
  return elements
}

/**
 * Reads a counted list. A list with more than `most` elements is read and discarded. It counts as too long only if all
 * of it exists, and the rest of the message, too. Otherwise the payload does not decode, as in Bitcoin Core.
 */
export const readList = <A>(
  cursor: PayloadCursor,
  what: Counted,
  most: number,
  readOne: (cursor: PayloadCursor) => A
): ReadonlyArray<A> => {
  const count = readCompactSize(cursor)
  if (count <= most) return readMany(cursor, count, readOne)
  for (let i = 0; i < count && isIntact(cursor); i++) readOne(cursor)
  cursor.excess ??= { _tag: "TooMany", what, count, most }
  return []
}

/** Reads a 32-byte hash in wire order. */
export const readHash = (cursor: PayloadCursor): Uint8Array => readBytes(cursor, 32)

/** Reads four bytes, little-endian, signed; 0 if broken. */
export const readInt32 = (cursor: PayloadCursor): number => {
  const at = advance(cursor, 4)
  return at < 0 ? 0 : cursor.view.getInt32(at, true)
}

/** Reads two bytes, big-endian, the order of ports; 0 if broken. */
export const readPort = (cursor: PayloadCursor): number => {
  const at = advance(cursor, 2)
  return at < 0 ? 0 : cursor.view.getUint16(at)
}

/** Reads eight bytes, little-endian, unsigned; 0 if broken. */
export const readUint64 = (cursor: PayloadCursor): bigint => {
  const at = advance(cursor, 8)
  return at < 0 ? 0n : cursor.view.getBigUint64(at, true)
}

/**
 * Reads a compact size that is no length, so that it may have any of 64 bits, but only in its shortest form. Returns 0
 * if broken.
 */
export const readCompactUint64 = (cursor: PayloadCursor): bigint => {
  const start = cursor.offset
  const first = readUint8(cursor)
  if (first < 253) return BigInt(first)
  const width = first === 253 ? 2 : first === 254 ? 4 : 8
  const at = advance(cursor, width)
  if (at < 0) return 0n
  const value = width === 2
    ? BigInt(cursor.view.getUint16(at, true))
    : width === 4
    ? BigInt(cursor.view.getUint32(at, true))
    : cursor.view.getBigUint64(at, true)
  const least = width === 2 ? 253n : width === 4 ? 0x10000n : 0x1_0000_0000n
  if (value >= least) return value
  cursor.broken = violation("SER-001", { offset: start })
  return 0n
}
