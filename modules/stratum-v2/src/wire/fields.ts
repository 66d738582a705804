/** The unread rest of a message. A fault is permanent. */
export interface FieldReader {
  readonly bytes: Buffer
  offset: number
  isFaulty: boolean
}

/** Codec of one type of field. */
export interface Field<A> {
  readonly read: (from: FieldReader) => A
  readonly write: (value: A) => Buffer
}

/** The value of a field. */
export type ValueOf<F> = F extends Field<infer A> ? A : never

const EMPTY = Buffer.alloc(0)

const take = (from: FieldReader, length: number): Buffer => {
  const end = from.offset + length
  if (end > from.bytes.length) from.isFaulty = true
  if (from.isFaulty) return EMPTY
  const taken = from.bytes.subarray(from.offset, end)
  from.offset = end
  return taken
}

const unsigned = (length: number): Field<number> => ({
  read: (from) => {
    const bytes = take(from, length)
    return bytes.length === 0 ? 0 : bytes.readUIntLE(0, length)
  },
  write: (value) => {
    const bytes = Buffer.alloc(length)
    bytes.writeUIntLE(value, 0, length)
    return bytes
  }
})

export const u8 = unsigned(1)
export const u16 = unsigned(2)
const u24 = unsigned(3)
export const u32 = unsigned(4)

export const u64: Field<bigint> = {
  read: (from) => {
    const bytes = take(from, 8)
    return bytes.length === 0 ? 0n : bytes.readBigUInt64LE()
  },
  write: (value) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(value)
    return bytes
  }
}

/** A finite 4-byte floating-point number. */
export const f32: Field<number> = {
  read: (from) => {
    const bytes = take(from, 4)
    const value = bytes.length === 0 ? 0 : bytes.readFloatLE()
    if (!Number.isFinite(value)) from.isFaulty = true
    return value
  },
  write: (value) => {
    const bytes = Buffer.alloc(4)
    bytes.writeFloatLE(value)
    return bytes
  }
}

export const bool: Field<boolean> = {
  read: (from) => {
    const value = u8.read(from)
    if (value > 1) from.isFaulty = true
    return value === 1
  },
  write: (value) => Buffer.of(value ? 1 : 0)
}

/** 32 bytes: a number in little-endian order, or a hash in internal byte order. */
export const u256: Field<Uint8Array> = {
  read: (from) => {
    const bytes = take(from, 32)
    return bytes.length === 0 ? new Uint8Array(32) : new Uint8Array(bytes)
  },
  write: (value) => Buffer.from(value)
}

const sized = (length: Field<number>, most: number): Field<Uint8Array> => ({
  read: (from) => {
    const size = length.read(from)
    if (size > most) from.isFaulty = true
    return new Uint8Array(take(from, size))
  },
  write: (value) => Buffer.concat([length.write(value.length), value])
})

export const b0_32 = sized(u8, 32)
export const b0_255 = sized(u8, 0xff)
export const b0_64k = sized(u16, 0xffff)
export const b0_16m = sized(u24, 0xff_ffff)

/** A text of at most 255 bytes; invalid UTF-8 is refused. */
export const str0_255: Field<string> = {
  read: (from) => {
    const bytes = take(from, u8.read(from))
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      from.isFaulty = true
      return ""
    }
  },
  write: (value) => {
    const bytes = Buffer.from(value)
    return Buffer.concat([u8.write(bytes.length), bytes])
  }
}

const sequence = <A>(length: Field<number>, of: Field<A>): Field<ReadonlyArray<A>> => ({
  read: (from) => {
    const values: Array<A> = []
    const count = length.read(from)
    for (let i = 0; i < count && !from.isFaulty; i++) values.push(of.read(from))
    return values
  },
  write: (values) => Buffer.concat([length.write(values.length), ...values.map(of.write)])
})

export const seq0_255 = <A>(of: Field<A>): Field<ReadonlyArray<A>> => sequence(u8, of)
export const seq0_64k = <A>(of: Field<A>): Field<ReadonlyArray<A>> => sequence(u16, of)

/** A value or `undefined`. */
export const option = <A>(of: Field<A>): Field<A | undefined> => ({
  read: (from) => bool.read(from) ? of.read(from) : undefined,
  write: (value) => value === undefined ? bool.write(false) : Buffer.concat([bool.write(true), of.write(value)])
})
