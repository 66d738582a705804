import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { feed, frameReader, readFrame } from "@lockstep/protocol/wire/frame-reader.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Result from "effect/Result"
import { once } from "node:events"
import { connect, createServer, type Server, type Socket } from "node:net"
import { plainConnections } from "./plain-connections.ts"
import { framed, framedPayload, MAGIC, SERVICES, versionAs, wireCrypto } from "./regtest-wire.ts"

/** A peer on a real socket that shakes hands and does nothing else of itself. */
export interface WirePeer {
  /** Messages of the node, oldest first. */
  readonly received: ReadonlyArray<Message>
  /** All that came of the node, byte for byte. */
  readonly bytes: () => Uint8Array
  readonly commands: () => ReadonlyArray<string>
  readonly say: (...messages: ReadonlyArray<Message>) => void
  readonly sayPayload: (command: string, payload: Uint8Array) => void
  readonly isClosed: () => boolean
  readonly end: () => void
}

/** What a peer does with a message of the node. */
export type Answer = (message: Message, say: WirePeer["say"]) => void

let nonce = 1n

const meet = (socket: Socket, answer: Answer, startHeight: number, services = SERVICES): WirePeer => {
  const reader = frameReader(MAGIC, wireCrypto)
  const received: Array<Message> = []
  const pieces: Array<Buffer> = []
  let isClosed = false
  const say = (...messages: ReadonlyArray<Message>): void => {
    if (!isClosed) socket.write(Buffer.concat(messages.map(framed)))
  }
  const hear = (message: Message): void => {
    received.push(message)
    if (message.command === "version") say({ command: "verack" })
    answer(message, say)
  }
  socket.on("data", (bytes: Buffer) => {
    pieces.push(Buffer.from(bytes))
    feed(reader, Uint8Array.from(bytes))
    for (
      let frame = Result.getOrThrow(readFrame(reader));
      frame !== undefined;
      frame = Result.getOrThrow(readFrame(reader))
    ) {
      if (frame._tag === "Known") hear(Result.getOrThrow(decodeMessage(frame.command, frame.payload)).message)
    }
  })
  socket.on("error", () => {})
  socket.on("close", () => {
    isClosed = true
  })
  say(versionAs("wire", nonce++, startHeight, services))
  return {
    received,
    bytes: () => Buffer.concat(pieces),
    commands: () => received.map(({ command }) => command),
    say,
    sayPayload: (command, payload) => {
      if (!isClosed) socket.write(framedPayload(command, payload))
    },
    isClosed: () => isClosed,
    end: () => void socket.destroy()
  }
}

/** A peer that answers pings and nothing else. */
export const politeness: Answer = (message, say) => {
  if (message.command === "ping" && message.nonce !== undefined) say({ command: "pong", nonce: message.nonce })
}

/** Connects to a node. */
export const connectPeer = async (port: number, answer: Answer = politeness, startHeight = 0): Promise<WirePeer> => {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true })
  await once(socket, "connect")
  return meet(socket, answer, startHeight)
}

/** Waits for connections of a node. */
export interface WaitingPeer {
  readonly port: number
  readonly links: ReadonlyArray<WirePeer>
  readonly end: () => void
}

export const waitForNode = async (
  answer: Answer = politeness,
  startHeight = 0,
  port = 0,
  services = SERVICES
): Promise<WaitingPeer> => {
  const links: Array<WirePeer> = []
  const server: Server = createServer(
    { noDelay: true },
    plainConnections((socket) => void links.push(meet(socket, answer, startHeight, services)))
  )
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as { readonly port: number }).port,
    links,
    end: () => {
      server.close()
      for (const link of links) link.end()
    }
  }
}
