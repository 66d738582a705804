import { concatBytes } from "@lockstep/kernel/bytes"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { Command, Message, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { encodeFrame, frameOf } from "@lockstep/protocol/wire/frame.ts"
import { feed, frameReader, readFrame } from "@lockstep/protocol/wire/frame-reader.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Result from "effect/Result"
import { addressKey } from "../../../../src/net/endpoint-text.ts"
import type { Accept, Connection } from "../../../../src/p2p/transport/transport.ts"
import { testCrypto } from "../../../engine/test-engine.ts"
import { usualVersion } from "../../peer/scripted-peer.ts"
import type { MadeBlock } from "../made-block.ts"

/** A connection of a scripted peer to one of our nodes. */
export interface Link {
  readonly connection: Connection
  /** Which node it leads to, by its address. */
  readonly node: string
  /** The node opened it. */
  readonly isTheirs: boolean
  readonly say: (...messages: ReadonlyArray<Message>) => void
  readonly sayPayload: (command: string, payload: Uint8Array) => void
  readonly sayBytes: (bytes: Uint8Array) => void
  readonly hangUp: () => void
  hello: MessageOf<"version"> | undefined
  isReady: boolean
  /** Why it ended; none: it has not. */
  ended: string | undefined
  prefersHeaders: boolean
  namesWitnesses: boolean
  /** The newest block of ours that the node has, as far as we know. */
  known: MadeBlock
}

/** Who is notified of what happens on a link. */
export interface LinkListener {
  readonly received: (link: Link, message: Message) => void
  readonly closed: (link: Link) => void
  readonly badFrame: (link: Link, what: string) => void
}

const WITNESS_IDS = 70_016

const greet = (link: Link, message: Message, services: bigint): void => {
  if (message.command === "version") {
    link.hello = message
    if (link.isTheirs) link.say({ ...usualVersion, services })
    if (message.version >= WITNESS_IDS) link.say({ command: "wtxidrelay" }, { command: "sendaddrv2" })
    link.say({ command: "verack" })
  }
  if (message.command === "wtxidrelay") link.namesWitnesses = true
  if (message.command === "sendheaders") link.prefersHeaders = true
  if (message.command === "verack") link.isReady = true
}

/** Takes connections over for a scripted peer. One that does not greet says nothing of itself. */
export const acceptLinks = (
  options: {
    readonly isTheirs: boolean
    readonly greets: boolean
    readonly services: bigint
    readonly genesis: MadeBlock
  },
  listener: LinkListener,
  opened: (link: Link) => void
): Accept =>
(connection) => {
  const { genesis, greets, isTheirs, services } = options
  const reader = frameReader(REGTEST.magic, testCrypto)
  const sayBytes = (bytes: Uint8Array): void => {
    if (link.ended === undefined) connection.send(bytes)
  }
  const link: Link = {
    connection,
    node: addressKey(connection.remote.address),
    isTheirs,
    say: (...messages) => sayBytes(concatBytes(messages.map((message) => frameOf(REGTEST.magic, message, testCrypto)))),
    sayPayload: (command, payload) => sayBytes(encodeFrame(REGTEST.magic, command, payload, testCrypto)),
    sayBytes,
    hangUp: () => connection.close(),
    hello: undefined,
    isReady: false,
    ended: undefined,
    prefersHeaders: false,
    namesWitnesses: false,
    known: genesis
  }
  const take = (command: Command, payload: Uint8Array): void => {
    const decoded = decodeMessage(command, payload, DEFAULT_LIMITS)
    if (Result.isFailure(decoded)) return listener.badFrame(link, command)
    const { message } = decoded.success
    if (greets) greet(link, message, services)
    listener.received(link, message)
  }
  opened(link)
  if (greets && !isTheirs) link.say({ ...usualVersion, services })
  return {
    received: (bytes) => {
      feed(reader, bytes)
      while (link.ended === undefined) {
        const frame = readFrame(reader)
        if (Result.isFailure(frame)) return listener.badFrame(link, frame.failure._tag)
        if (frame.success === undefined) return
        if (frame.success._tag === "Known") take(frame.success.command, frame.success.payload)
      }
    },
    drained: () => {},
    closed: (reason) => {
      link.ended = reason
      listener.closed(link)
    }
  }
}
