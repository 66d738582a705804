import * as Effect from "effect/Effect"
import { connect, createServer, type Server, type Socket } from "node:net"
import { type Frame, type Line, lineOn } from "../p2p/transcripts/line.ts"
import { announcedBlocks, bytesOf, comparable, entriesIn, hexOf } from "./message-content.ts"

/** One end of a connection to a node that plays a recorded peer. It answers pings by itself. */
export interface TestPeer {
  /** What has come and no row has named yet; the entries of inventory messages are apart. */
  readonly received: Array<Frame>
  readonly entries: Map<string, Array<string>>
  /** Blocks that the node has announced, ever. */
  readonly announced: Set<string>
  /** The node announced a block since the last one came; and the peer waits for headers that it asked for. */
  wasTold: boolean
  /** The peer and the node have waited for each other since a block last came. */
  isInStep: boolean
  hasAsked: boolean
  /** The recorded connection has ended. */
  isOver: boolean
  readonly isClosed: () => boolean
  readonly send: (command: string, payload: Uint8Array) => void
  readonly sendBytes: (bytes: Uint8Array) => void
  readonly close: () => void
  /** Ends the connection, and waits for the node to end it as well, but not for longer than so many milliseconds. */
  readonly leave: (milliseconds: number) => Promise<void>
  /** Waits until `found` holds, or for so many milliseconds. */
  readonly until: (found: () => boolean, milliseconds: number) => Promise<boolean>
  /** Whether all that was sent is processed: a ping of our own was answered, or the connection is closed. */
  readonly isProcessed: (milliseconds: number) => Promise<boolean>
}

/** Addresses are passed on at times of chance. */
const NOT_RECORDED = new Set(["addr", "addrv2", "getaddr"])

interface Pings {
  /** The number of the last ping of our own, and those that were answered. */
  sent: number
  readonly answered: Set<string>
  isDirty: boolean
}

/** Numbers that no recorded ping has. */
const numberOf = (count: number): Uint8Array => {
  const bytes = new Uint8Array(8).fill(0xa5)
  new DataView(bytes.buffer).setUint32(0, count)
  return bytes
}

type Inbox = Pick<TestPeer, "received" | "entries" | "announced">

const sort = (frame: Frame, line: Line, inbox: Inbox, { answered }: Pings): void => {
  const { command, payload } = frame
  for (const hash of announcedBlocks(frame)) inbox.announced.add(hash)
  const entries = entriesIn(frame)
  if (command === "ping") line.send("pong", payload)
  else if (command === "pong" && hexOf(payload).endsWith("a5a5a5a5")) answered.add(hexOf(payload))
  else if (entries !== undefined) inbox.entries.set(command, [...inbox.entries.get(command) ?? [], ...entries])
  else if (!NOT_RECORDED.has(command)) inbox.received.push(frame)
}

const peerOn = (socket: Socket): TestPeer => {
  const line = lineOn(socket)
  const inbox: Inbox = { received: [], entries: new Map(), announced: new Set() }
  const pings: Pings = { sent: 0, answered: new Set(), isDirty: false }
  const drain = (): void => {
    for (const frame of line.received.splice(0)) sort(frame, line, inbox, pings)
  }
  socket.on("data", drain)
  const until: TestPeer["until"] = async (found, milliseconds) => {
    const look = (): true | undefined => {
      drain()
      return found() || undefined
    }
    return await Effect.runPromise(line.until(look, milliseconds)) === true
  }
  let isReady = false
  const peer: TestPeer = {
    ...inbox,
    wasTold: true,
    isInStep: true,
    hasAsked: false,
    isOver: false,
    isClosed: line.isClosed,
    send: (command, payload) => {
      // A ping before the handshake is over may end it.
      isReady ||= command === "verack"
      peer.hasAsked ||= command === "getheaders"
      pings.isDirty = true
      line.send(command, payload)
    },
    sendBytes: (bytes) => {
      pings.isDirty = true
      line.sendBytes(bytes)
    },
    close: line.close,
    leave: async (milliseconds) => {
      socket.end()
      await until(line.isClosed, milliseconds)
      line.close()
    },
    until,
    isProcessed: async (milliseconds) => {
      if (!isReady || !pings.isDirty || line.isClosed()) return true
      pings.isDirty = false
      const number = numberOf(++pings.sent)
      line.send("ping", number)
      const isAnswered = await until(() => line.isClosed() || pings.answered.has(hexOf(number)), milliseconds)
      peer.isInStep = true
      return isAnswered
    }
  }
  return peer
}

/** A peer that connects to the node. */
export const inboundPeer = (port: number): Promise<TestPeer> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true })
    socket.once("connect", () => resolve(peerOn(socket)))
    socket.once("error", reject)
  })

/** A place at which a peer waits for the node to connect. */
export interface Listener {
  readonly address: string
  readonly accepted: (milliseconds: number) => Promise<TestPeer | undefined>
  readonly close: () => void
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port))
  })

/** Listens at a port of this machine for one connection. */
export const listener = async (): Promise<Listener> => {
  const server = createServer()
  const first = new Promise<TestPeer>((resolve) => server.once("connection", (socket) => resolve(peerOn(socket))))
  const port = await listening(server)
  return {
    address: `127.0.0.1:${port}`,
    accepted: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(undefined), milliseconds)
        void first.then((peer) => {
          clearTimeout(timer)
          resolve(peer)
        })
      }),
    close: () => void server.close()
  }
}

const takeEntries = (peer: TestPeer, command: string, wanted: ReadonlyArray<string>): boolean => {
  const there = [...peer.entries.get(command) ?? []]
  for (const entry of wanted) {
    const place = there.indexOf(entry)
    if (place < 0) return false
    there.splice(place, 1)
  }
  peer.entries.set(command, there)
  return true
}

/** Takes a message out of what was received, if it is there; inventory entries may have come in other groups. */
export const takeMessage = (peer: TestPeer, command: string, payload: string): boolean => {
  const frame = { command, payload: bytesOf(payload) }
  const wanted = entriesIn(frame)
  if (wanted !== undefined) return takeEntries(peer, command, wanted)
  const content = comparable(frame)
  const place = peer.received.findIndex((each) => each.command === command && comparable(each) === content)
  if (place >= 0) peer.received.splice(place, 1)
  return place >= 0
}
