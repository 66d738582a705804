import type { Duplex } from "node:stream"
import { commandBytes, commandIn, type Frame, frameIn } from "./frames.ts"
import { greeting, GREETING_BYTES, isGreeting, ready } from "./handshake.ts"

/** Maximum bytes of a subscriber's frame; topics are short. */
const MAX_FRAME_BYTES = 4_096

/** Maximum number of different topics of one subscriber. */
const MAX_SUBSCRIPTIONS = 1_024

/** Time limit of a handshake in milliseconds. */
const HANDSHAKE_MS = 30_000

const SUBSCRIBE = 1
const CANCEL = 0
/** Bytes before the context of a PING: the time to live. */
const PING_HEAD = 2

/** A connected subscriber. */
export interface Subscriber {
  /**
   * Sends a message to the subscriber if it has subscribed to the topic. Drops it if `highWater` messages already wait;
   * 0 drops none.
   */
  readonly offer: (topic: string, pieces: ReadonlyArray<Uint8Array>, highWater: number) => void
}

/** Sends messages to one subscriber. */
const outbox = (socket: Duplex): Subscriber["offer"] => {
  const waiting: Array<ReadonlyArray<Uint8Array>> = []
  let isBlocked = false

  const write = (pieces: ReadonlyArray<Uint8Array>): void => {
    socket.cork()
    for (const piece of pieces) isBlocked = !socket.write(piece)
    socket.uncork()
  }
  socket.on("drain", () => {
    isBlocked = false
    for (let next = waiting.shift(); next !== undefined; next = isBlocked ? undefined : waiting.shift()) write(next)
  })
  return (_topic, pieces, highWater) => {
    if (!socket.writable) return
    if (!isBlocked) write(pieces)
    else if (highWater === 0 || waiting.length < highWater) waiting.push(pieces)
  }
}

/** Tracks the topics of a subscriber, with the number of subscriptions to each. */
const subscriptions = () => {
  const prefixes = new Map<string, number>()
  return {
    change: (by: number, prefix: string): void => {
      const count = (prefixes.get(prefix) ?? 0) + by
      if (count <= 0) prefixes.delete(prefix)
      else if (prefixes.has(prefix) || prefixes.size < MAX_SUBSCRIPTIONS) prefixes.set(prefix, count)
    },
    matches: (topic: string): boolean => {
      for (const prefix of prefixes.keys()) if (topic.startsWith(prefix)) return true
      return false
    }
  }
}

/** Serves a subscriber over its socket, with ZMTP 3.0 and 3.1. A violation of the protocol ends the connection. */
export const serveSubscriber = (socket: Duplex): Subscriber => {
  const wanted = subscriptions()
  const send = outbox(socket)
  let received: Buffer = Buffer.alloc(0)
  let state: "greeting" | "handshake" | "ready" = "greeting"

  const takeCommand = (frame: Frame): boolean => {
    const command = commandIn(frame)
    if (command === undefined) return false
    const { data, name } = command
    if (state === "handshake") {
      if (name !== "READY") return false
      state = "ready"
      clearTimeout(patience)
      return true
    }
    if (name === "SUBSCRIBE") wanted.change(1, data.toString("latin1"))
    if (name === "CANCEL") wanted.change(-1, data.toString("latin1"))
    if (name === "PING") socket.write(commandBytes("PONG", data.subarray(PING_HEAD)))
    return name !== "ERROR"
  }

  const takeFrame = (frame: Frame): boolean => {
    if (frame.isCommand) return takeCommand(frame)
    if (state !== "ready") return false
    // ZMTP 3.0 subscribes in this way; any other message of a subscriber has no meaning.
    const topic = frame.body.toString("latin1", 1)
    if (frame.body[0] === SUBSCRIBE) wanted.change(1, topic)
    if (frame.body[0] === CANCEL) wanted.change(-1, topic)
    return true
  }

  const takeGreeting = (): boolean => {
    if (!isGreeting(received)) return false
    received = received.subarray(GREETING_BYTES)
    state = "handshake"
    socket.write(ready())
    return takeFrames()
  }

  const takeFrames = (): boolean => {
    for (;;) {
      const found = frameIn(received, MAX_FRAME_BYTES)
      if (found === "incomplete") return true
      if (found === "too long" || !takeFrame(found.frame)) return false
      received = received.subarray(found.end)
    }
  }

  socket.on("data", (chunk) => {
    received = received.length === 0 ? (chunk as Buffer) : Buffer.concat([received, chunk as Buffer])
    if (state === "greeting" && received.length < GREETING_BYTES) return
    if (!(state === "greeting" ? takeGreeting() : takeFrames())) socket.destroy()
  })
  socket.on("error", () => undefined)
  const patience = setTimeout(() => socket.destroy(), HANDSHAKE_MS)
  socket.once("close", () => clearTimeout(patience))
  socket.write(greeting())
  return {
    offer: (topic, pieces, highWater) => {
      if (state === "ready" && wanted.matches(topic)) send(topic, pieces, highWater)
    }
  }
}
