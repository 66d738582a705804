import { advance, type Cursor, cursorOn, readBytes, readCompactSize, readUint8 } from "@lockstep/kernel/bytes"
import { violation } from "@lockstep/kernel/verdict"
import type { Counted, PayloadFault } from "./fault.ts"

/**
 * A place in a payload that is being decoded. What the kernel's readers find wrong sticks in `broken`, what a message
 * forbids beyond that in `fault`; after either, what is read is meaningless, and loops end. A list that is too long
 * sticks in `excess`, which counts only where nothing else is wrong up to the end of the message.
 */
export interface PayloadCursor extends Cursor {
  fault: PayloadFault | undefined
  excess: PayloadFault | undefined
}

/** A cursor at the start of `payload`. */
export const payloadCursor = (payload: Uint8Array): PayloadCursor => ({
  ...cursorOn(payload),
  fault: undefined,
  excess: undefined
})

/** Whether nothing has been wrong so far. */
export const isIntact = (cursor: PayloadCursor): boolean => cursor.broken === undefined && cursor.fault === undefined

/** What was wrong first; nothing when nothing was. */
export const faultOf = ({ broken, excess, fault }: PayloadCursor): PayloadFault | undefined =>
  fault ?? (broken === undefined ? excess : { _tag: "Malformed", rule: broken.rule, offset: broken.detail.offset })

/** Notes that a message forbids what was read, unless something was wrong before. */
export const refuse = (cursor: PayloadCursor, fault: PayloadFault): void => {
  if (isIntact(cursor)) cursor.fault = fault
}

/**
 * How many elements follow: a compact size not above `most`; 0 when there is something wrong. A larger one is refused by
 * itself, whether the elements are there or not.
 */
export const readCount = (cursor: PayloadCursor, what: Counted, most: number): number => {
  const count = readCompactSize(cursor)
  if (count <= most) return count
  refuse(cursor, { _tag: "TooMany", what, count, most })
  return 0
}

/** `count` elements, fewer when one of them is wrong: nothing is allocated for elements that are not there. */
export const readMany = <A>(cursor: PayloadCursor, count: number, readOne: (cursor: PayloadCursor) => A): Array<A> => {
  const elements: Array<A> = []
  for (let i = 0; i < count && isIntact(cursor); i++) elements.push(readOne(cursor))
  return elements
}

/**
 * A counted list. One of more than `most` elements is read over and not kept: it is too long only if all of it is there,
 * and the rest of the message too. Otherwise it is a payload that does not decode, as in Bitcoin Core.
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

/** A 32-byte hash in wire order. */
export const readHash = (cursor: PayloadCursor): Uint8Array => readBytes(cursor, 32)

/** Four bytes, little-endian, signed; 0 when broken. */
export const readInt32 = (cursor: PayloadCursor): number => {
  const at = advance(cursor, 4)
  return at < 0 ? 0 : cursor.view.getInt32(at, true)
}

/** Two bytes, big-endian, as ports are written; 0 when broken. */
export const readPort = (cursor: PayloadCursor): number => {
  const at = advance(cursor, 2)
  return at < 0 ? 0 : cursor.view.getUint16(at)
}

/** Eight bytes, little-endian, unsigned; 0 when broken. */
export const readUint64 = (cursor: PayloadCursor): bigint => {
  const at = advance(cursor, 8)
  return at < 0 ? 0n : cursor.view.getBigUint64(at, true)
}

/**
 * A compact size that is no length, so that it may be any of 64 bits; still in its shortest form only. 0 when broken.
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
