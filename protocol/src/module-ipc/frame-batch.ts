import { type Insertion, reserve, type Writer, writer } from "./layout/writer.ts"
import { type ModuleMessage, moduleMessage } from "./message.ts"

/** Frames that are encoded one behind another, to be written at once. */
export interface ModuleFrameBatch {
  /** Bytes of the frames in it. */
  readonly length: () => number
  /** Takes the frames out, as one array. */
  readonly take: () => Uint8Array
  /** What was taken out last has been written: its memory serves for the next frames. */
  readonly reuse: () => void
  /** Adds a frame that is encoded already. */
  readonly addFrame: (frame: Uint8Array) => void
  /**
   * Adds a frame. One of at least `longest` bytes is not added but answered, in pieces: long byte strings of the message are pieces
   * themselves, and must not change until they are written.
   */
  readonly add: (message: ModuleMessage, longest: number) => ReadonlyArray<Uint8Array> | undefined
}

const PREFIX = 4
const FIRST_ROOM = 4_096
/** Memory beyond it is not kept for the next frames. */
const KEPT_ROOM = 16 * 1024

/** The written bytes from `start` on, with the insertions in their places. */
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

/** The frame of one message, in pieces; long byte strings of the message are pieces themselves. */
export const moduleFramePieces = (message: ModuleMessage): ReadonlyArray<Uint8Array> =>
  moduleFrameBatch().add(message, 0)!

/** No frame. */
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
      // The pieces keep the bytes that they are views of, so what came before moves to an array of its own.
      to = start === 0 ? undefined : { ...writer(start, []), offset: start }
      to?.bytes.set(batch.bytes.subarray(0, start))
      return pieces
    }
  }
}
