import { connect, type NetConnectOpts, type Socket } from "node:net"
import { commandBytes, frameIn, messagePieces } from "../src/zmtp/frames.ts"
import { greeting, GREETING_BYTES } from "../src/zmtp/handshake.ts"

/** A SUB socket as a test needs it: it keeps what it receives. */
export interface TestSubscriber {
  readonly socket: Socket
  /** The next message, as its frames; waits for it. */
  readonly next: () => Promise<ReadonlyArray<Buffer>>
  /** Messages that came and were not asked for. */
  readonly waiting: () => number
  /** Everything sent before is processed: the publisher has answered a ping. */
  readonly processed: () => Promise<void>
}

const MOST = 64 * 1024 * 1024

const socketType = Buffer.from("\u000bSocket-Type\u0000\u0000\u0000\u0003SUB", "latin1")

/** Connects, shakes hands and subscribes: as ZMTP 3.0 with messages, or as 3.1 with commands. */
export const subscribeTo = async (
  place: NetConnectOpts,
  topics: ReadonlyArray<string>,
  minor: 0 | 1 = 1
): Promise<TestSubscriber> => {
  const socket = connect(place)
  const messages: Array<ReadonlyArray<Buffer>> = []
  const readers: Array<(message: ReadonlyArray<Buffer>) => void> = []
  const pongs: Array<() => void> = []
  let parts: Array<Buffer> = []
  let received = Buffer.alloc(0)
  let hasGreeting = false

  const take = (message: ReadonlyArray<Buffer>): void => {
    const reader = readers.shift()
    if (reader === undefined) messages.push(message)
    else reader(message)
  }
  socket.on("error", () => undefined)
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk as Buffer])
    if (!hasGreeting) {
      if (received.length < GREETING_BYTES) return
      received = received.subarray(GREETING_BYTES)
      hasGreeting = true
    }
    for (let found = frameIn(received, MOST); typeof found === "object"; found = frameIn(received, MOST)) {
      const { end, frame } = found
      if (frame.isCommand && frame.body.toString("latin1", 1, 5) === "PONG") pongs.shift()?.()
      if (!frame.isCommand) parts.push(Buffer.from(frame.body))
      if (!frame.isCommand && !frame.hasMore) {
        take(parts)
        parts = []
      }
      received = received.subarray(end)
    }
  })
  const hello = greeting()
  hello[11] = minor
  socket.write(hello)
  socket.write(commandBytes("READY", socketType))
  for (const topic of topics) {
    if (minor === 1) socket.write(commandBytes("SUBSCRIBE", Buffer.from(topic)))
    else for (const piece of messagePieces([Buffer.concat([Buffer.of(1), Buffer.from(topic)])])) socket.write(piece)
  }
  const processed = (): Promise<void> =>
    new Promise((resolve) => {
      pongs.push(resolve)
      socket.write(commandBytes("PING", Buffer.of(0, 0, 7)))
    })
  await processed()
  return {
    socket,
    processed,
    waiting: () => messages.length,
    next: () => {
      const first = messages.shift()
      return first === undefined ? new Promise((resolve) => readers.push(resolve)) : Promise.resolve(first)
    }
  }
}
