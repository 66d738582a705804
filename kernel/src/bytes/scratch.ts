import { type Writer, writerOf } from "./writer.ts"

/**
 * Memory of one owner, which passes it on to what puts bytes together only to hash them. An array of more than 64 bytes
 * lies outside the JavaScript heap, and takes longer to allocate and to free than to fill. What was written is gone
 * with the next message, so nothing keeps it, and none is begun before the last one is hashed.
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

/** What was written: a view that holds until the next message. @internal */
export const written = ({ bytes, offset }: Writer): Uint8Array => bytes.subarray(0, offset)
