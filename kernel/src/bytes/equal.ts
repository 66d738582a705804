/** Reports whether two byte strings are equal. */
export const bytesEqual = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Reports whether every byte is zero. */
export const isZero = (bytes: Uint8Array): boolean => {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}

/** Order of two byte strings of equal length, first byte first: negative, zero or positive. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => {
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! - b[i]!
    if (difference !== 0) return difference
  }
  return 0
}

/** All parts one after another, in a fresh array. */
export const concatBytes = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  let size = 0
  for (const part of parts) size += part.length
  const joined = new Uint8Array(size)
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}
