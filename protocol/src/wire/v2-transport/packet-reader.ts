import * as Result from "effect/Result"
import type { FrameFault } from "../fault.ts"
import { crypted, packetOpener, type PacketCipher } from "./packet-cipher.ts"
import { available, type PacketInput, takePacketBytes } from "./packet-input.ts"
import { DECOY, HEADER_SIZE, LENGTH_SIZE, MOST_CONTENTS, TAG_SIZE } from "./packet-layout.ts"
import type { Opener } from "./transport-crypto.ts"

/** Takes the contents of packets as they are opened. Nothing is known of them before `finished`. */
export interface ContentsReader<A> {
  /** A packet that is no decoy begins, with contents of so many bytes. */
  readonly begin: (length: number) => void
  /** Its next bytes. A fault ends the connection. */
  readonly take: (bytes: Uint8Array) => FrameFault | undefined
  /** Both sides sealed and opened the same. */
  readonly finished: () => A
}

/** A packet on its way: none of its bytes is kept here. */
interface Incoming {
  readonly length: number
  readonly opener: Opener
  /** Sealed bytes that are still to come, before the tag. */
  left: number
  isDecoy: boolean | undefined
}

/** Reads the packets of one direction. It holds a length and a tag, whatever the packets' size. */
export interface PacketReader {
  readonly cipher: PacketCipher
  /** What the first packet was sealed together with; nothing from the second on. */
  additional: Uint8Array
  readonly length: Uint8Array
  lengthReceived: number
  readonly tag: Uint8Array
  tagReceived: number
  incoming: Incoming | undefined
}

const NOTHING = new Uint8Array(0)

/** Packets behind the terminator; `garbage` stood in front of it. */
export const packetReader = (cipher: PacketCipher, garbage: Uint8Array): PacketReader => ({
  cipher,
  additional: garbage,
  length: new Uint8Array(LENGTH_SIZE),
  lengthReceived: 0,
  tag: new Uint8Array(TAG_SIZE),
  tagReceived: 0,
  incoming: undefined
})

/** The packet that the next bytes announce; none: more must arrive. */
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

/** Opens what there is of the packet, and hands its contents on. */
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

/** The end of a packet: whether it is authentic. None: more must arrive. */
const closed = (reader: PacketReader, { opener }: Incoming, input: PacketInput): boolean | undefined => {
  const part = takePacketBytes(input, TAG_SIZE - reader.tagReceived)
  reader.tag.set(part, reader.tagReceived)
  reader.tagReceived += part.length
  if (reader.tagReceived < TAG_SIZE) return undefined
  reader.tagReceived = 0
  reader.incoming = undefined
  return opener.isAuthentic(reader.tag)
}

/** What the next packet comes to that is no decoy; nothing where more must arrive first: the input is empty then. */
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
