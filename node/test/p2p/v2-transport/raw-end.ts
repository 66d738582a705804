import type { TransportCrypto } from "@lockstep/protocol/wire/v2-transport/transport-crypto.ts"
import { garbageReader, type GarbageReader, readGarbage } from "@lockstep/protocol/wire/v2-transport/garbage-reader.ts"
import { type SessionKeys, sessionKeys } from "@lockstep/protocol/wire/v2-transport/key-schedule.ts"
import { sealPacket } from "@lockstep/protocol/wire/v2-transport/packet-cipher.ts"
import { add, available, packetInput, takePacketBytes } from "@lockstep/protocol/wire/v2-transport/packet-input.ts"
import {
  type ContentsReader,
  type PacketReader,
  packetReader,
  readPacket
} from "@lockstep/protocol/wire/v2-transport/packet-reader.ts"
import * as Result from "effect/Result"

/** What one side of an encrypted connection starts from. */
export interface RawEndOptions {
  readonly crypto: TransportCrypto
  readonly magic: Uint8Array
  readonly privateKey: Uint8Array
  readonly encoded: Uint8Array
  readonly isInitiator: boolean
}

/** One side of an encrypted connection, packet by packet: a test decides what is in them and what is wrong with them. */
export interface RawEnd {
  /** Takes what the other side has sent. */
  readonly receive: (bytes: Uint8Array) => void
  /** Once the other side's key is there. */
  readonly keys: () => SessionKeys | undefined
  /** Contents of the other side's packets, its version packet first. */
  readonly packets: ReadonlyArray<Uint8Array>
  /** The next packet, sealed. */
  readonly seal: (
    contents: Uint8Array,
    options?: { readonly isDecoy?: boolean; readonly aad?: Uint8Array }
  ) => Uint8Array
}

const NOTHING = new Uint8Array(0)

/** Collects the contents of packets as they are. */
const collector = (): ContentsReader<Uint8Array> => {
  let parts: Array<Uint8Array> = []
  return {
    begin: () => {
      parts = []
    },
    take: (bytes) => {
      parts.push(bytes)
      return undefined
    },
    finished: () => new Uint8Array(Buffer.concat(parts))
  }
}

export const rawEnd = ({ crypto, encoded, isInitiator, magic, privateKey }: RawEndOptions): RawEnd => {
  const input = packetInput()
  const contents = collector()
  const packets: Array<Uint8Array> = []
  const key: Array<number> = []
  let keys: SessionKeys | undefined
  let garbage: GarbageReader | undefined
  let reader: PacketReader | undefined

  const readKey = (): void => {
    key.push(...takePacketBytes(input, 64 - key.length))
    if (key.length < 64) return
    const secret = crypto.sharedSecret(privateKey, encoded, Uint8Array.from(key), isInitiator)
    keys = sessionKeys(crypto, magic, secret, isInitiator)
    garbage = garbageReader(keys.peerTerminator)
  }

  const readRest = (found: SessionKeys): void => {
    if (reader === undefined) {
      const end = readGarbage(garbage!, input)
      if (end === "missing") throw new Error("no terminator")
      if (end !== undefined) reader = packetReader(found.receiving, end)
      return
    }
    const packet = Result.getOrThrow(readPacket(reader, input, contents))
    if (packet !== undefined) packets.push(packet)
  }

  return {
    receive: (bytes) => {
      add(input, new Uint8Array(bytes))
      while (available(input) > 0) {
        if (keys === undefined) readKey()
        else readRest(keys)
      }
    },
    keys: () => keys,
    packets,
    seal: (bytes, { aad = NOTHING, isDecoy = false } = {}) =>
      new Uint8Array(
        Buffer.concat(sealPacket(keys!.sending, [Uint8Array.of(isDecoy ? 0x80 : 0), bytes], bytes.length, aad))
      )
  }
}
