import * as Effect from "effect/Effect"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { parseEndpoint } from "../../../src/net/endpoint-text.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { addressOfDestination, base64Text } from "../../../src/p2p/transport/i2p/destination.ts"

/** A private key: 387 bytes of a destination whose certificate has 4 more, then the secret part. */
export const privateKey = (first: number): Uint8Array => {
  const bytes = new Uint8Array(387 + 4 + 96).fill(first)
  bytes.set([0, 4], 385)
  return bytes
}

export const destinationText = (first: number): string => base64Text(privateKey(first).subarray(0, 391))

export const i2pEndpoint = (first: number): Endpoint => ({ address: addressOfDestination(privateKey(first))!, port: 0 })

export interface SamBehaviour {
  /** Answers a command with this instead, byte for byte. */
  readonly instead?: Readonly<Record<string, string>>
  /** Bytes of each piece that it sends. */
  readonly piece?: number
  /** What a node says that is connected to. */
  readonly greeting?: string
  /** Where the node is on this machine that is connected to; none: nothing answers. */
  readonly to?: Endpoint
}

export interface SamServer {
  readonly at: Endpoint
  readonly commands: Array<string>
  readonly connections: () => number
  /** A node connects to the one that waits. */
  readonly come: (first: number, greeting?: string) => void
  readonly isAwaited: () => boolean
  readonly drop: () => void
  behaviour: SamBehaviour
}

/** The one whose sessions are transient. */
export const TRANSIENT = 77
export const GENERATED = 78
/** The node that is found. */
export const FOUND = 5

const answerTo = (line: string): string => {
  const words = line.split(" ")
  switch (words.slice(0, 2).join(" ")) {
    case "HELLO VERSION":
      return "HELLO REPLY RESULT=OK VERSION=3.1\n"
    case "DEST GENERATE":
      return `DEST REPLY PUB=${destinationText(GENERATED)} PRIV=${base64Text(privateKey(GENERATED))}\n`
    case "SESSION CREATE":
      return `SESSION STATUS RESULT=OK DESTINATION=${base64Text(privateKey(TRANSIENT))}\n`
    case "NAMING LOOKUP":
      return `NAMING REPLY RESULT=OK NAME=x VALUE=${destinationText(FOUND)}\n`
    default:
      return "STREAM STATUS RESULT=OK\n"
  }
}

const say = async (socket: Socket, text: string, piece: number): Promise<void> => {
  for (let at = 0; at < text.length; at += piece) {
    socket.write(text.slice(at, at + piece), "latin1")
    if (piece < text.length) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** An I2P router on this machine that does what a test wants. */
export const startSam = (behaviour: SamBehaviour = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: SamServer; readonly stop: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const awaiting: Array<Socket> = []
      const commands: Array<string> = []
      const drop = (): void => sockets.forEach((socket) => socket.destroy())
      const obey = (socket: Socket, line: string): void => {
        commands.push(line)
        const { greeting = "", instead = {}, piece = 1_000_000 } = server.behaviour
        const command = line.split(" ").slice(0, 2).join(" ")
        const answer = instead[command] ?? answerTo(line)
        if (command === "STREAM ACCEPT" && instead[command] === undefined) awaiting.push(socket)
        void say(socket, command === "STREAM CONNECT" ? answer + greeting : answer, piece)
        const { to } = server.behaviour
        if (command === "STREAM CONNECT" && to !== undefined) {
          socket.removeAllListeners("data")
          const target = connect(to.port, "127.0.0.1")
          target.on("error", () => socket.destroy())
          socket.on("close", () => target.destroy())
          socket.pipe(target).pipe(socket)
        }
      }
      const listener = createServer((socket) => {
        sockets.add(socket)
        let held = ""
        socket.on("close", () => sockets.delete(socket))
        socket.on("error", () => undefined)
        socket.on("data", (bytes: Buffer) => {
          held += bytes.toString("latin1")
          for (let end = held.indexOf("\n"); end >= 0; end = held.indexOf("\n")) {
            const line = held.slice(0, end)
            held = held.slice(end + 1)
            obey(socket, line)
          }
        })
      })
      const server: SamServer = {
        at: parseEndpoint("127.0.0.1", 0)!,
        commands,
        connections: () => sockets.size,
        come: (first, greeting = "") => void awaiting.shift()!.write(`${destinationText(first)}\n${greeting}`),
        isAwaited: () => awaiting.length > 0,
        drop,
        behaviour
      }
      listener.listen(0, "127.0.0.1", () => {
        const at = { ...server.at, port: (listener.address() as AddressInfo).port }
        const stop = (): void => {
          listener.close()
          drop()
        }
        resume(Effect.succeed({ server: Object.assign(server, { at }), stop }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  ).pipe(Effect.map(({ server }) => server))
