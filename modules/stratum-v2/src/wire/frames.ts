import type { Session } from "../noise/handshake.ts"
import type { PlainFrame } from "./messages.ts"

const HEADER = 6
const TAG = 16
const SEALED_HEADER = HEADER + TAG
/** Plaintext bytes of one block of a payload. */
const BLOCK = 65_535 - TAG
const CHANNEL = 0x8000

/** Maximum bytes of a miner's payload. The longest message is a custom job, whose outputs may have 65,535 bytes. */
export const MOST_PAYLOAD = 81_920

/** Maximum bytes of a declaration's payload: the transactions of a block and their lengths. */
export const MOST_DECLARED_PAYLOAD = 4_300_000

/** Encrypts a frame for the wire. */
export const sealFrame = ({ send }: Pick<Session, "send">, { isOfChannel, payload, type }: PlainFrame): Buffer => {
  const header = Buffer.alloc(HEADER)
  header.writeUInt16LE(isOfChannel ? CHANNEL : 0, 0)
  header[2] = type
  header.writeUIntLE(payload.length, 3, 3)
  const pieces = [send.seal(header)]
  for (let at = 0; at < payload.length; at += BLOCK) pieces.push(send.seal(payload.subarray(at, at + BLOCK)))
  return Buffer.concat(pieces)
}

const sealedLength = (length: number): number => length + TAG * Math.ceil(length / BLOCK)

/** Decrypts the frames of a connection. */
export interface FrameReader {
  /** Reads bytes. Returns the frames that they complete, or `undefined` if they break the protocol. */
  readonly feed: (chunk: Uint8Array) => ReadonlyArray<PlainFrame> | undefined
}

interface Header {
  readonly type: number
  readonly isOfChannel: boolean
  readonly length: number
}

export const frameReader = (
  { receive }: Pick<Session, "receive">,
  mostPayload: () => number = () => MOST_PAYLOAD
): FrameReader => {
  let held: Buffer = Buffer.alloc(0)
  let header: Header | undefined

  const openHeader = (): Header | undefined => {
    const plain = receive.open(held.subarray(0, SEALED_HEADER))
    held = held.subarray(SEALED_HEADER)
    return plain === undefined
      ? undefined
      : { type: plain[2]!, isOfChannel: (plain.readUInt16LE(0) & CHANNEL) !== 0, length: plain.readUIntLE(3, 3) }
  }

  const openPayload = (length: number): Buffer | undefined => {
    const blocks: Array<Buffer> = []
    const sealed = held.subarray(0, sealedLength(length))
    held = held.subarray(sealed.length)
    for (let at = 0; at < sealed.length; at += BLOCK + TAG) {
      const block = receive.open(sealed.subarray(at, at + BLOCK + TAG))
      if (block === undefined) return undefined
      blocks.push(block)
    }
    return Buffer.concat(blocks)
  }

  return {
    feed: (chunk) => {
      held = Buffer.concat([held, chunk])
      const frames: Array<PlainFrame> = []
      for (;;) {
        if (header === undefined) {
          if (held.length < SEALED_HEADER) return frames
          header = openHeader()
          if (header === undefined || header.length > mostPayload()) return undefined
        }
        if (held.length < sealedLength(header.length)) return frames
        const payload = openPayload(header.length)
        if (payload === undefined) return undefined
        frames.push({ type: header.type, isOfChannel: header.isOfChannel, payload })
        header = undefined
      }
    }
  }
}
