/** Writes numbers bit by bit, the highest bit of each first. The last byte is padded with zeros. */
export interface BitWriter {
  /** Writes the lowest `count` bits of a number below 2³². */
  readonly bits: (value: number, count: number) => void
  /** Writes `value` ones, then a zero. */
  readonly unary: (value: number) => void
  readonly finish: () => Uint8Array
}

export const bitWriter = (capacity: number): BitWriter => {
  let bytes = new Uint8Array(Math.max(16, capacity))
  let at = 0

  const makeRoom = (count: number): void => {
    if (at + count <= bytes.length * 8) return
    const larger = new Uint8Array(Math.max(bytes.length * 2, Math.ceil((at + count) / 8)))
    larger.set(bytes)
    bytes = larger
  }

  const bits = (value: number, count: number): void => {
    makeRoom(count)
    for (let left = count; left > 0;) {
      const room = 8 - (at & 7)
      const taken = Math.min(room, left)
      const part = (value >>> (left - taken)) & ((1 << taken) - 1)
      bytes[at >>> 3]! |= part << (room - taken)
      at += taken
      left -= taken
    }
  }

  return {
    bits,
    unary: (value) => {
      for (let left = value; left > 0; left -= 16) bits(0xffff, Math.min(left, 16))
      bits(0, 1)
    },
    finish: () => bytes.slice(0, Math.ceil(at / 8))
  }
}

/** Reads the output of a {@link BitWriter}. After the end of the bytes every read returns 0, and `isBroken` is true. */
export interface BitReader {
  readonly bits: (count: number) => number
  readonly unary: () => number
  readonly isBroken: () => boolean
  /** Returns the number of complete bytes that were not read. */
  readonly unread: () => number
}

export const bitReader = (bytes: Uint8Array): BitReader => {
  let at = 0
  let broken = false

  const bits = (count: number): number => {
    if (at + count > bytes.length * 8) broken = true
    if (broken) return 0
    let value = 0
    for (let left = count; left > 0;) {
      const room = 8 - (at & 7)
      const taken = Math.min(room, left)
      const part = (bytes[at >>> 3]! >>> (room - taken)) & ((1 << taken) - 1)
      value = value * 2 ** taken + part
      at += taken
      left -= taken
    }
    return value
  }

  return {
    bits,
    unary: () => {
      let value = 0
      while (bits(1) === 1) value++
      return broken ? 0 : value
    },
    isBroken: () => broken,
    unread: () => bytes.length - Math.ceil(at / 8)
  }
}
