import { concatBytes } from "@lockstep/kernel/bytes"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import type { Command, Message, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { encodeFrame, frameOf } from "@lockstep/protocol/wire/frame.ts"
import { feed, frameReader, readFrame } from "@lockstep/protocol/wire/frame-reader.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import { userAgentBytes } from "@lockstep/protocol/wire/user-agent.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import type { PeerHost } from "../../../src/p2p/peer/peer-host.ts"
import type { ConnectionListener } from "../../../src/p2p/transport/transport.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { testCrypto } from "../../engine/test-engine.ts"

/** A frame as it came, decoded where a codec knows it. */
export interface Received {
  readonly command: string
  readonly payload: Uint8Array
}

const NOWHERE = { services: 0n, address: { network: AddressNetwork.IPV6, bytes: new Uint8Array(16) }, port: 0 }

/** A `version` as an ordinary full node sends it. */
export const usualVersion: MessageOf<"version"> = {
  command: "version",
  version: 70_016,
  services: 1n | (1n << 3n),
  time: 1_700_193_573n,
  receiver: NOWHERE,
  sender: { from: NOWHERE, nonce: 1n },
  userAgent: userAgentBytes("/scripted/"),
  startHeight: 0,
  relay: 1
}

export const endpointOf = (...bytes: ReadonlyArray<number>): Endpoint => ({
  address: { network: AddressNetwork.IPV4, bytes: Uint8Array.from(bytes) },
  port: 8_333
})

/** Lets every fiber go as far as it can. */
export const settle: Effect.Effect<void> = Effect.promise(async () => {
  for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve))
})

/** The other side of a connection, as a test plays it. */
export interface ScriptedPeer {
  readonly received: Array<Received>
  readonly commands: () => ReadonlyArray<string>
  /** What was received since this was last called. */
  readonly news: () => ReadonlyArray<string>
  readonly last: <C extends Command>(command: C) => MessageOf<C>
  readonly say: (...messages: ReadonlyArray<Message>) => void
  readonly sayPayload: (command: string, payload: Uint8Array) => void
  readonly sayBytes: (bytes: Uint8Array) => void
  readonly hangUp: () => void
  /** Reads what was sent, all at once. */
  readonly drain: () => void
  /** `perSend`: what each message counts as unsent, of a peer that does not read. */
  readonly is: { closed: boolean; paused: boolean; unsent: number; perSend: number }
}

/** Connects a scripted peer to a host. */
export const connectTo = (
  host: PeerHost,
  magic: Uint8Array,
  kind: PeerKind = "inbound",
  remote: Endpoint = endpointOf(8, 8, 8, 8)
): ScriptedPeer => {
  const received: Array<Received> = []
  const is = { closed: false, paused: false, unsent: 0, perSend: 0 }
  const reader = frameReader(magic, testCrypto)
  let observed = 0
  let listener: ConnectionListener | undefined
  const close = (reason: string): void => {
    if (is.closed) return
    is.closed = true
    queueMicrotask(() => listener?.closed(reason))
  }
  const listen = (bytes: Uint8Array): void => {
    feed(reader, bytes)
    for (;;) {
      const answer = readFrame(reader)
      if (Result.isFailure(answer)) throw new Error(`the node sent a bad frame: ${answer.failure._tag}`)
      const frame = answer.success
      if (frame === undefined) return
      received.push({ command: frame.command, payload: frame._tag === "Known" ? frame.payload : new Uint8Array(0) })
    }
  }
  listener = host.take({
    remote,
    local: undefined,
    send: (bytes) => {
      is.unsent += is.perSend
      if (!is.closed) listen(bytes)
    },
    unsent: () => is.unsent,
    pause: () => {
      is.paused = true
    },
    resume: () => {
      is.paused = false
    },
    close: () => close("closed by this node")
  }, { kind })
  const sayBytes = (bytes: Uint8Array): void => {
    if (!is.closed) listener.received(bytes.slice())
  }
  return {
    received,
    commands: () => received.map(({ command }) => command),
    news: () => {
      const news = received.slice(observed).map(({ command }) => command)
      observed = received.length
      return news
    },
    last: (command) => {
      const found = received.findLast((each) => each.command === command)
      if (found === undefined) throw new Error(`no ${command} was received`)
      const decoded = decodeMessage(command, found.payload)
      if (Result.isFailure(decoded)) throw new Error(`the node sent a ${command} that is none`)
      return decoded.success.message
    },
    say: (...messages) => sayBytes(concatBytes(messages.map((message) => frameOf(magic, message, testCrypto)))),
    sayPayload: (command, payload) => sayBytes(encodeFrame(magic, command, payload, testCrypto)),
    sayBytes,
    drain: () => {
      is.unsent = 0
      listener.drained()
    },
    hangUp: () => close("the other side closed the connection"),
    is
  }
}

/** Says all that makes a session ready, with wtxid relay. */
export const shakeHands = Effect.fnUntraced(
  function*(peer: ScriptedPeer, version: MessageOf<"version"> = usualVersion) {
    peer.say(version, { command: "wtxidrelay" }, { command: "sendaddrv2" }, { command: "verack" })
    yield* settle
    peer.news()
  }
)
