/** Copies bytes. */
export type CopyBytes = (bytes: Uint8Array) => Uint8Array

/** Each in memory of its own. */
export const ownCopy: CopyBytes = (bytes) => new Uint8Array(bytes)

const PIECE_BYTES = 1 << 18

/**
 * Many in one piece of memory, for copies that live equally long: the collector has to deal with each piece by itself.
 */
export const sharedCopies = (): CopyBytes => {
  let piece = new Uint8Array(0)
  let used = 0
  return (bytes) => {
    const { length } = bytes
    if (used + length > piece.length) {
      piece = new Uint8Array(Math.max(PIECE_BYTES, length))
      used = 0
    }
    const copy = piece.subarray(used, used += length)
    copy.set(bytes)
    return copy
  }
}
