import type { Layout } from "./layout.ts"
import { type Reader, refuse, take, takeCount, takeLength, takeUint32 } from "./reader.ts"
import { putBytes, putCount, putUint32, reserve, type Writer } from "./writer.ts"

/** One byte, 0 or 1. */
export const bool: Layout<boolean> = {
  shape: { kind: "bool" },
  least: 1,
  read: (from) => {
    const at = take(from, 1)
    const byte = at < 0 ? 0 : from.bytes[at]!
    if (byte > 1) refuse(from, { _tag: "UnknownTag", what: "boolean", tag: byte, offset: at })
    return byte === 1
  },
  write: (to, value) => {
    const at = reserve(to, 1)
    to.bytes[at] = value ? 1 : 0
  }
}

/** One byte, from 0 to 255. */
export const u8: Layout<number> = {
  shape: { kind: "u8" },
  least: 1,
  read: (from) => {
    const at = take(from, 1)
    return at < 0 ? 0 : from.bytes[at]!
  },
  write: (to, value) => {
    const at = reserve(to, 1)
    to.bytes[at] = value
  }
}

/** Four bytes, from 0 to 2^32 − 1. */
export const u32: Layout<number> = { shape: { kind: "u32" }, least: 4, read: takeUint32, write: putUint32 }

/** Four bytes, from −2^31 to 2^31 − 1. */
export const i32: Layout<number> = {
  shape: { kind: "i32" },
  least: 4,
  read: (from) => takeUint32(from) | 0,
  write: putUint32
}

/** Eight bytes, from 0 to 2^64 − 1: ids and flags. */
export const u64: Layout<bigint> = {
  shape: { kind: "u64" },
  least: 8,
  read: (from) => {
    const at = take(from, 8)
    return at < 0 ? 0n : from.view.getBigUint64(at, true)
  },
  write: (to, value) => {
    const at = reserve(to, 8)
    to.view.setBigUint64(at, value, true)
  }
}

/** Eight bytes, from 0 to 2^53 − 1: heights, sizes, satoshis, seconds. */
export const count: Layout<number> = { shape: { kind: "count" }, least: 8, read: takeCount, write: putCount }

/** Eight bytes of a finite IEEE 754 number. */
export const f64: Layout<number> = {
  shape: { kind: "f64" },
  least: 8,
  read: (from) => {
    const at = take(from, 8)
    const value = at < 0 ? 0 : from.view.getFloat64(at, true)
    if (!Number.isFinite(value)) refuse(from, { _tag: "NotFinite", offset: at })
    return value
  },
  write: (to, value) => {
    const at = reserve(to, 8)
    to.view.setFloat64(at, value, true)
  }
}

const NOTHING = new Uint8Array(0)

const readBytes = (from: Reader): Uint8Array => {
  const length = takeLength(from, 1)
  const at = take(from, length)
  return at < 0 ? NOTHING : from.bytes.subarray(at, at + length)
}

const writeBytes = (to: Writer, bytes: Uint8Array): void => {
  putCount(to, bytes.length)
  putBytes(to, bytes)
}

/** A length and as many bytes. The value read is a view of the frame. */
export const bytes: Layout<Uint8Array> = { shape: { kind: "bytes" }, least: 8, read: readBytes, write: writeBytes }

const ENCODER = new TextEncoder()

/** Decodes UTF-8. Returns `undefined` if it is invalid. A byte order mark is kept as a character. */
const textOf = (utf8: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(utf8)
  } catch {
    return undefined
  }
}

/** A length in bytes and as many bytes of UTF-8. */
export const text: Layout<string> = {
  shape: { kind: "text" },
  least: 8,
  read: (from) => {
    const offset = from.offset
    const utf8 = readBytes(from)
    const found = textOf(utf8)
    if (found === undefined) refuse(from, { _tag: "NotText", offset })
    return found ?? ""
  },
  write: (to, value) => writeBytes(to, ENCODER.encode(value))
}

/** 32 bytes of a hash in internal byte order, the reverse of display order. */
export const hash: Layout<Uint8Array> = {
  shape: { kind: "hash" },
  least: 32,
  read: (from) => {
    const at = take(from, 32)
    return at < 0 ? new Uint8Array(32) : from.bytes.subarray(at, at + 32)
  },
  // A hash of another length would shift everything after it.
  write: (to, value) => {
    const at = reserve(to, 32)
    to.bytes.set(value.subarray(0, 32), at)
  }
}
