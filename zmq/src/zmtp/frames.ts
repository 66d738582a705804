const MORE = 1
const LONG = 2
const COMMAND = 4
const MOST_SHORT = 255

/** A frame of ZMTP 3 (RFC 37) received from a peer. */
export interface Frame {
  readonly isCommand: boolean
  readonly hasMore: boolean
  readonly body: Buffer
}

/** Encodes the head of a frame: its flags and the length of its body. */
const head = (flags: number, length: number): Buffer => {
  if (length <= MOST_SHORT) return Buffer.of(flags, length)
  const bytes = Buffer.alloc(9)
  bytes[0] = flags | LONG
  bytes.writeBigUInt64BE(BigInt(length), 1)
  return bytes
}

/** Encodes a message of several frames as pieces to be written in order. Bodies are not copied. */
export const messagePieces = (bodies: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> =>
  bodies.flatMap((body, i) => [head(i < bodies.length - 1 ? MORE : 0, body.length), body])

/** Encodes a command from its name and its data. */
export const commandBytes = (name: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.of(name.length), Buffer.from(name, "latin1"), data])
  return Buffer.concat([head(COMMAND, body.length), body])
}

/** Returns the name and the data of a command, or `undefined` if its body has no name. */
export const commandIn = ({ body }: Frame): { readonly name: string; readonly data: Buffer } | undefined => {
  const length = body[0] ?? 0
  return length === 0 || length >= body.length + 1
    ? undefined
    : { name: body.toString("latin1", 1, 1 + length), data: body.subarray(1 + length) }
}

/** Result of reading a frame: the frame and the position where it ends, or the reason why there is no frame. */
export type Found = { readonly frame: Frame; readonly end: number } | "incomplete" | "too long"

/** Reads the frame at the start of the bytes. Its body may have at most `most` bytes. */
export const frameIn = (bytes: Buffer, most: number): Found => {
  const flags = bytes[0]
  if (flags === undefined) return "incomplete"
  const headLength = (flags & LONG) === 0 ? 2 : 9
  if (bytes.length < headLength) return "incomplete"
  const length = headLength === 2 ? bytes[1]! : Number(bytes.readBigUInt64BE(1))
  if (length > most) return "too long"
  const end = headLength + length
  if (bytes.length < end) return "incomplete"
  return {
    frame: {
      isCommand: (flags & COMMAND) !== 0,
      hasMore: (flags & MORE) !== 0,
      body: bytes.subarray(headLength, end)
    },
    end
  }
}
