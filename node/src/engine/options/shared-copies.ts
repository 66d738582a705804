/** Copies bytes. */
export type CopyBytes = (bytes: Uint8Array) => Uint8Array

/** Copies bytes into a buffer of their own. */
export const ownCopy: CopyBytes = (bytes) => new Uint8Array(bytes)

const PIECE_BYTES = 1 << 18

/**
 * Copies many byte arrays into shared buffers. For copies that live equally long: the collector handles each buffer on
 * its own.
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
