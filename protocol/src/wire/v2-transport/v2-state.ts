import { concatBytes } from "@lockstep/kernel/bytes"
import type { FrameFault } from "../fault.ts"
import type { PeerTransport } from "../peer-transport.ts"
import { v1Transport, type V1TransportOptions } from "../v1-transport.ts"
import { type GarbageReader, garbageReader } from "./garbage-reader.ts"
import { type SessionKeys, sessionKeys } from "./key-schedule.ts"
import { messageReader, type MessageReader } from "./message-reader.ts"
import { releaseLengths, sealPacket } from "./packet-cipher.ts"
import { clear, packetInput, type PacketInput, takeAll } from "./packet-input.ts"
import { KEY_SIZE } from "./packet-layout.ts"
import type { PacketReader } from "./packet-reader.ts"
import { type OwnOpening, ownOpening, type TransportRandom } from "./own-opening.ts"
import { sendPacket } from "./send-packet.ts"
import type { TransportCrypto } from "./transport-crypto.ts"

/** What a transport needs that is encrypted, unless the peer that opened the connection begins with v1. */
export interface V2TransportOptions extends V1TransportOptions {
  readonly transportCrypto: TransportCrypto
  readonly random: TransportRandom
  readonly isInitiator: boolean
  /** The own key, with garbage, is on its way. */
  readonly opened?: () => void
  /** Keys are agreed on: that costs more than anything else a peer can cause with so few bytes. */
  readonly agreed?: () => void
}

/** What is awaited of the peer; `beginning`: the bytes that show whether it speaks v1. */
export type Phase = "beginning" | "v1" | "key" | "garbage" | "version" | "messages"

/** A connection, as far as its transport knows it. */
export interface V2State {
  readonly options: V2TransportOptions
  readonly input: PacketInput
  readonly messages: MessageReader
  phase: Phase
  /** The peer's key on its way. */
  readonly key: Uint8Array
  keyReceived: number
  /** Until the peer's key is there. */
  opening: OwnOpening | undefined
  keys: SessionKeys | undefined
  /** Until the peer is authenticated. */
  garbage: GarbageReader | undefined
  packets: PacketReader | undefined
  /** Messages that wait for the peer's key. */
  waiting: Array<readonly [command: string, payload: Uint8Array]>
  v1: PeerTransport | undefined
  /** Once a fault leaves no way to go on, it is the answer for good. */
  dead: FrameFault | undefined
}

/** A connection that has just been opened. */
export const v2State = (options: V2TransportOptions): V2State => ({
  options,
  input: packetInput(),
  messages: messageReader(options.limits),
  phase: options.isInitiator ? "key" : "beginning",
  key: new Uint8Array(KEY_SIZE),
  keyReceived: 0,
  opening: undefined,
  keys: undefined,
  garbage: undefined,
  packets: undefined,
  waiting: [],
  v1: undefined,
  dead: undefined
})

/** Sends the own key, and garbage. */
export const open = (state: V2State): void => {
  const { opened, output, random, transportCrypto } = state.options
  const opening = ownOpening(transportCrypto, random)
  state.opening = opening
  output.bytes(concatBytes([opening.encoded, opening.garbage]), false)
  opened?.()
}

/** The peer speaks v1. `seen`: how it began. */
export const speakV1 = (state: V2State, seen: Uint8Array): void => {
  const v1 = v1Transport(state.options)
  v1.feed(new Uint8Array(seen))
  v1.feed(takeAll(state.input))
  state.v1 = v1
  state.phase = "v1"
}

const NO_DECOY = Uint8Array.of(0)

/**
 * Agrees on keys, the peer's having come. Sends the terminator, the version packet, which authenticates the garbage that was
 * sent and has no contents, and what waited.
 */
export const agree = (state: V2State, { encoded, garbage, privateKey }: OwnOpening): void => {
  const { agreed, isInitiator, magic, output, transportCrypto } = state.options
  const secret = transportCrypto.sharedSecret(privateKey, encoded, state.key, isInitiator)
  privateKey.fill(0)
  const keys = sessionKeys(transportCrypto, magic, secret, isInitiator)
  secret.fill(0)
  state.keys = keys
  state.opening = undefined
  state.garbage = garbageReader(keys.peerTerminator)
  state.phase = "garbage"
  agreed?.()
  output.bytes(concatBytes([keys.ownTerminator, ...sealPacket(keys.sending, [NO_DECOY], 0, garbage)]), false)
  for (const [command, payload] of state.waiting) sendPacket(keys.sending, command, payload, output)
  state.waiting = []
  // Most connections that are half open never need another length.
  releaseLengths(keys.sending)
}

/** Releases what is held: nothing more of the peer will be read. */
export const releaseState = (state: V2State): void => {
  clear(state.input)
  state.messages.abandon()
  state.v1?.abandon()
  state.opening = undefined
  state.garbage = undefined
  state.packets = undefined
  state.waiting = []
}
