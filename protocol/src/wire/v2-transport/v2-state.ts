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

/** Options of an encrypted transport, which falls back to v1 if the peer that opened the connection speaks it. */
export interface V2TransportOptions extends V1TransportOptions {
  readonly transportCrypto: TransportCrypto
  readonly random: TransportRandom
  readonly isInitiator: boolean
  /** Called when the own key, with garbage, was sent. */
  readonly opened?: () => void
  /** Called when keys were derived, which costs more than anything else that a peer can cause with so few bytes. */
  readonly agreed?: () => void
}

/** Data that the peer must send next. `beginning` means the bytes that show whether it speaks v1. */
export type Phase = "beginning" | "v1" | "key" | "garbage" | "version" | "messages"

/** State of a connection's transport. */
export interface V2State {
  readonly options: V2TransportOptions
  readonly input: PacketInput
  readonly messages: MessageReader
  phase: Phase
  /** The incomplete key of the peer. */
  readonly key: Uint8Array
  keyReceived: number
  /** Present until the peer's key has arrived. */
  opening: OwnOpening | undefined
  keys: SessionKeys | undefined
  /** Present until the peer is authenticated. */
  garbage: GarbageReader | undefined
  packets: PacketReader | undefined
  /** Messages that wait for the peer's key. */
  waiting: Array<readonly [command: string, payload: Uint8Array]>
  v1: PeerTransport | undefined
  /** A permanent fault, after which nothing more is read. */
  dead: FrameFault | undefined
}

/** Returns the state of a connection that was just opened. */
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

/** Sends the own key and garbage. */
export const open = (state: V2State): void => {
  const { opened, output, random, transportCrypto } = state.options
  const opening = ownOpening(transportCrypto, random)
  state.opening = opening
  output.bytes(concatBytes([opening.encoded, opening.garbage]), false)
  opened?.()
}

/** Switches to v1, since the peer speaks it. `seen` are its first bytes. */
export const speakV1 = (state: V2State, seen: Uint8Array): void => {
  const v1 = v1Transport(state.options)
  v1.feed(new Uint8Array(seen))
  v1.feed(takeAll(state.input))
  state.v1 = v1
  state.phase = "v1"
}

const NO_DECOY = Uint8Array.of(0)

/**
 * Derives keys from the peer's key. Sends the terminator, the version packet, which authenticates the garbage that was
 * sent and has no contents, and the waiting messages.
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
  // Most half-open connections never need another length.
  releaseLengths(keys.sending)
}

/** Releases held memory; nothing more of the peer will be read. */
export const releaseState = (state: V2State): void => {
  clear(state.input)
  state.messages.abandon()
  state.v1?.abandon()
  state.opening = undefined
  state.garbage = undefined
  state.packets = undefined
  state.waiting = []
}
