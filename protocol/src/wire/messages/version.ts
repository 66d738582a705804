import type { Height } from "@lockstep/kernel/quantities"
import {
  type Cursor,
  readBytes,
  readCompactSize,
  readInt64,
  readUint8,
  sizedLength,
  writeInt64,
  type Writer,
  writerOf,
  writeSized,
  writeUint32,
  writeUint8
} from "@lockstep/kernel/bytes"
import { type NetworkAddress, readIpAddress, writeIpAddress } from "../address/network-address.ts"
import type { Codec } from "../codec.ts"
import { LIMITS } from "../limits.ts"
import { isIntact, type PayloadCursor, readInt32, readPort, readUint64, refuse } from "../payload-cursor.ts"
import { writePort } from "../payload-writer.ts"

/** An address as in `version`, without the time it was last seen. */
export interface VersionAddress {
  readonly services: bigint
  readonly address: NetworkAddress
  readonly port: number
}

/** The sender, and a nonce by which a node detects a connection to itself. */
export interface VersionSender {
  readonly from: VersionAddress
  /** uint64 */
  readonly nonce: bigint
}

/**
 * The first message of a connection. The fields from `sender` on were added one after another. A message may end before
 * any of them, and then lacks all later ones.
 */
export interface VersionMessage {
  readonly command: "version"
  /** int32 */
  readonly version: number
  /** uint64, see `ServiceFlag` */
  readonly services: bigint
  /** Unix seconds, int64: a peer may send a negative time. */
  readonly time: bigint
  readonly receiver: VersionAddress
  readonly sender: VersionSender | undefined
  readonly userAgent: Uint8Array | undefined
  /** int32 */
  readonly startHeight: Height | undefined
  /** A byte: 0 asks for no transactions; any other value, or a missing byte, asks for transactions. */
  readonly relay: number | undefined
}

const ADDRESS_SIZE = 26

const readAddress = (cursor: PayloadCursor): VersionAddress => ({
  services: readUint64(cursor),
  address: readIpAddress(cursor),
  port: readPort(cursor)
})

const writeAddress = (writer: Writer, { address, port, services }: VersionAddress): void => {
  writeInt64(writer, services)
  writeIpAddress(writer, address)
  writePort(writer, port)
}

const readUserAgent = (cursor: PayloadCursor): Uint8Array => {
  const length = readCompactSize(cursor)
  const most = LIMITS.userAgent.most
  if (length > most) refuse(cursor, { _tag: "TooLong", what: "user agent", length, most })
  return readBytes(cursor, isIntact(cursor) ? length : 0)
}

const read = (cursor: PayloadCursor): VersionMessage => {
  // A field that is beyond the end of the bytes is missing.
  const ifThere = <A>(readField: (at: PayloadCursor) => A): A | undefined =>
    isIntact(cursor) && cursor.offset < cursor.bytes.length ? readField(cursor) : undefined
  return {
    command: "version",
    version: readInt32(cursor),
    services: readUint64(cursor),
    time: readInt64(cursor),
    receiver: readAddress(cursor),
    sender: ifThere(() => ({ from: readAddress(cursor), nonce: readUint64(cursor) })),
    userAgent: ifThere(readUserAgent),
    startHeight: ifThere(readInt32),
    relay: ifThere((at: Cursor) => readUint8(at))
  }
}

const SENDER_SIZE = ADDRESS_SIZE + 8

const write = (message: VersionMessage): Uint8Array => {
  const { receiver, relay, sender, services, startHeight, time, userAgent, version } = message
  const hasAgent = sender !== undefined && userAgent !== undefined
  const hasHeight = hasAgent && startHeight !== undefined
  const hasRelay = hasHeight && relay !== undefined
  const writer = writerOf(
    20 +
      ADDRESS_SIZE +
      (sender === undefined ? 0 : SENDER_SIZE) +
      (hasAgent ? sizedLength(userAgent) : 0) +
      (hasHeight ? 4 : 0) +
      (hasRelay ? 1 : 0)
  )
  writeUint32(writer, version)
  writeInt64(writer, services)
  writeInt64(writer, time)
  writeAddress(writer, receiver)
  if (sender !== undefined) {
    writeAddress(writer, sender.from)
    writeInt64(writer, sender.nonce)
  }
  if (hasAgent) writeSized(writer, userAgent)
  if (hasHeight) writeUint32(writer, startHeight)
  if (hasRelay) writeUint8(writer, relay)
  return writer.bytes
}

export const version: Codec<VersionMessage> = { read, write }

/** Reports whether the sender of a `version` wants transactions announced. */
export const wantsTransactions = ({ relay }: VersionMessage): boolean => relay !== 0
