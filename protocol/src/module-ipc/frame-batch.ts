import { type Insertion, reserve, type Writer, writer } from "./layout/writer.ts"
import { type ModuleMessage, moduleMessage } from "./message.ts"

/** Frames that are encoded consecutively, to be written together. */
export interface ModuleFrameBatch {
  /** Bytes of the frames in the batch. */
  readonly length: () => number
  /** Removes the frames and returns them as one array. */
  readonly take: () => Uint8Array
  /** Allows the memory of the last taken frames to be reused, after they were written. */
  readonly reuse: () => void
  /** Adds an encoded frame. */
  readonly addFrame: (frame: Uint8Array) => void
  /**
   * Adds a frame. One of at least `longest` bytes is not added but returned, in pieces. Long byte strings of the
   * message are separate pieces, and must not change until they are written.
   */
  readonly add: (message: ModuleMessage, longest: number) => ReadonlyArray<Uint8Array> | undefined
}

const PREFIX = 4
const FIRST_ROOM = 4_096
/** Maximum bytes of memory kept for the next frames. */
const KEPT_ROOM = 16 * 1024

/** Returns the written bytes from `start` on, with the insertions at their positions. */
const piecesFrom = (to: Writer, start: number, insertions: ReadonlyArray<Insertion>): ReadonlyArray<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let at = start
  for (const each of insertions) {
    pieces.push(to.bytes.subarray(at, each.at), each.bytes)
    at = each.at
  }
  if (at < to.offset) pieces.push(to.bytes.subarray(at, to.offset))
  return pieces
}

const lengthOf = (pieces: ReadonlyArray<Uint8Array>): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** Encodes the frame of one message in pieces. Long byte strings of the message are separate pieces. */
export const moduleFramePieces = (message: ModuleMessage): ReadonlyArray<Uint8Array> =>
  moduleFrameBatch().add(message, 0)!

/** An empty batch. */
export const moduleFrameBatch = (): ModuleFrameBatch => {
  let to: Writer | undefined
  let taken: Writer | undefined
  const begun = (): Writer => to ??= writer(FIRST_ROOM, [])
  return {
    length: () => to?.offset ?? 0,
    take: () => {
      taken = begun()
      to = undefined
      return taken.bytes.subarray(0, taken.offset)
    },
    reuse: () => {
      if (to === undefined && taken !== undefined && taken.bytes.length <= KEPT_ROOM) to = { ...taken, offset: 0 }
      taken = undefined
    },
    addFrame: (frame) => {
      const batch = begun()
      const at = reserve(batch, frame.length)
      batch.bytes.set(frame, at)
    },
    add: (message, longest) => {
      const batch = begun()
      const start = reserve(batch, PREFIX)
      moduleMessage.write(batch, message)
      const pieces = piecesFrom(batch, start, batch.insertions!)
      const length = lengthOf(pieces)
      batch.view.setUint32(start, length - PREFIX, true)
      if (length < longest && batch.insertions!.length === 0) return undefined
      // The pieces are views that keep their bytes, so earlier frames are copied to a new array.
      to = start === 0 ? undefined : { ...writer(start, []), offset: start }
      to?.bytes.set(batch.bytes.subarray(0, start))
      return pieces
    }
  }
}
