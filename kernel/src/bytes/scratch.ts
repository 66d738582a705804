import { type Writer, writerOf } from "./writer.ts"

/**
 * Reusable memory with one owner, for functions that assemble bytes only to hash them. An array of more than 64 bytes
 * is outside the JavaScript heap, and takes longer to allocate and to free than to fill. The next message overwrites
 * the bytes. So they must not be kept, and must be hashed before the next message is begun.
 */
export interface Scratch {
  writer: Writer
}

/** Longer messages are rare, and have memory of their own. */
const MOST_KEPT = 1 << 20

/** Scratch memory that takes no room yet. @internal */
export const createScratch = (): Scratch => ({ writer: writerOf(0) })

/** A writer for at most `size` bytes, which are not zero at first. @internal */
export const writerOn = (scratch: Scratch, size: number): Writer => {
  const { writer } = scratch
  if (writer.bytes.length >= size) {
    writer.offset = 0
    return writer
  }
  if (size > MOST_KEPT) return writerOf(size)
  scratch.writer = writerOf(size * 2)
  return scratch.writer
}

/** Returns the written bytes: a view that is valid until the next message. @internal */
export const written = ({ bytes, offset }: Writer): Uint8Array => bytes.subarray(0, offset)
