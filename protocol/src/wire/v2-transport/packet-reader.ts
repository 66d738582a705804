import * as Result from "effect/Result"
import type { FrameFault } from "../fault.ts"
import { crypted, packetOpener, type PacketCipher } from "./packet-cipher.ts"
import { available, type PacketInput, takePacketBytes } from "./packet-input.ts"
import { DECOY, HEADER_SIZE, LENGTH_SIZE, MOST_CONTENTS, TAG_SIZE } from "./packet-layout.ts"
import type { Opener } from "./transport-crypto.ts"

/** Receives the contents of packets as they are decrypted. They are not authenticated before `finished`. */
export interface ContentsReader<A> {
  /** Called when a packet other than a decoy begins, with the length of its contents. */
  readonly begin: (length: number) => void
  /** Receives the next bytes of contents. A fault ends the connection. */
  readonly take: (bytes: Uint8Array) => FrameFault | undefined
  /** Called when the packet is authenticated. */
  readonly finished: () => A
}

/** An incomplete packet; none of its bytes is kept here. */
interface Incoming {
  readonly length: number
  readonly opener: Opener
  /** Number of encrypted bytes still to arrive before the tag. */
  left: number
  isDecoy: boolean | undefined
}

/** Reads the packets of one direction. It holds only a length and a tag, whatever the packets' size. */
export interface PacketReader {
  readonly cipher: PacketCipher
  /** Additional authenticated data of the first packet; `undefined` from the second one on. */
  additional: Uint8Array
  readonly length: Uint8Array
  lengthReceived: number
  readonly tag: Uint8Array
  tagReceived: number
  incoming: Incoming | undefined
}

const NOTHING = new Uint8Array(0)

/** Opens a reader of the packets after the terminator; `garbage` preceded it. */
export const packetReader = (cipher: PacketCipher, garbage: Uint8Array): PacketReader => ({
  cipher,
  additional: garbage,
  length: new Uint8Array(LENGTH_SIZE),
  lengthReceived: 0,
  tag: new Uint8Array(TAG_SIZE),
  tagReceived: 0,
  incoming: undefined
})

/** Reads the head of the next packet. Returns `undefined` if more must arrive. */
const announced = (reader: PacketReader, input: PacketInput): Result.Result<Incoming | undefined, FrameFault> => {
  const part = takePacketBytes(input, LENGTH_SIZE - reader.lengthReceived)
  reader.length.set(part, reader.lengthReceived)
  reader.lengthReceived += part.length
  if (reader.lengthReceived < LENGTH_SIZE) return Result.succeed(undefined)
  reader.lengthReceived = 0
  const [low, middle, high] = crypted(reader.cipher, reader.length)
  const length = low! | middle! << 8 | high! << 16
  if (length > MOST_CONTENTS) return Result.fail({ _tag: "PacketTooLarge", length, most: MOST_CONTENTS })
  const opener = packetOpener(reader.cipher, reader.additional)
  reader.additional = NOTHING
  reader.incoming = { length, opener, left: HEADER_SIZE + length, isDecoy: undefined }
  return Result.succeed(reader.incoming)
}

/** Decrypts the part of the packet that has arrived, and passes its contents on. */
const openPart = <A>(
  incoming: Incoming,
  input: PacketInput,
  contents: ContentsReader<A>
): FrameFault | undefined => {
  const part = takePacketBytes(input, incoming.left)
  if (part.length === 0) return undefined
  incoming.left -= part.length
  const plain = incoming.opener.open(part)
  if (incoming.isDecoy === undefined) {
    incoming.isDecoy = (plain[0]! & DECOY) !== 0
    if (incoming.isDecoy) return undefined
    contents.begin(incoming.length)
    return contents.take(plain.subarray(HEADER_SIZE))
  }
  return incoming.isDecoy ? undefined : contents.take(plain)
}

/** Reads the end of a packet. Returns whether it is authentic, or `undefined` if more must arrive. */
const closed = (reader: PacketReader, { opener }: Incoming, input: PacketInput): boolean | undefined => {
  const part = takePacketBytes(input, TAG_SIZE - reader.tagReceived)
  reader.tag.set(part, reader.tagReceived)
  reader.tagReceived += part.length
  if (reader.tagReceived < TAG_SIZE) return undefined
  reader.tagReceived = 0
  reader.incoming = undefined
  return opener.isAuthentic(reader.tag)
}

/**
 * Returns the result of the next packet other than a decoy, or `undefined` if more must arrive; the input is then
 * empty.
 */
export const readPacket = <A>(
  reader: PacketReader,
  input: PacketInput,
  contents: ContentsReader<A>
): Result.Result<A | undefined, FrameFault> => {
  while (available(input) > 0) {
    const begun = reader.incoming === undefined ? announced(reader, input) : Result.succeed(reader.incoming)
    if (Result.isFailure(begun)) return Result.fail(begun.failure)
    const incoming = begun.success
    if (incoming === undefined) break
    const fault = openPart(incoming, input, contents)
    if (fault !== undefined) return Result.fail(fault)
    const isAuthentic = incoming.left > 0 ? undefined : closed(reader, incoming, input)
    if (isAuthentic === undefined) break
    if (!isAuthentic) return Result.fail({ _tag: "NotAuthentic", length: incoming.length })
    if (incoming.isDecoy !== true) return Result.succeed(contents.finished())
  }
  return Result.succeed(undefined)
}
