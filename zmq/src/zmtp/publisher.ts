import { lstatSync, rmSync } from "node:fs"
import { createServer, type ListenOptions, type Server } from "node:net"
import type { Duplex } from "node:stream"
import { listenOptionsOf } from "./address.ts"
import { messagePieces } from "./frames.ts"
import { serveSubscriber, type Subscriber } from "./subscriber.ts"

/** A PUB socket of ZeroMQ at one address. */
export interface Publisher {
  /** Sends frames, of which the first is the topic, to every subscriber that wants it. It never waits for one. */
  readonly publish: (topic: string, frames: ReadonlyArray<Uint8Array>) => void
  readonly close: () => Promise<void>
}

/** Connected subscribers, at whatever address they came. */
export interface Subscribers extends Pick<Publisher, "publish"> {
  /** Takes a connection over, which nothing else reads. */
  readonly serve: (socket: Duplex) => void
  /** Ends each connection. */
  readonly end: () => void
}

/**
 * No subscribers yet. Each has at most `highWater` messages waiting for it, 0 without a limit; what comes beyond it misses, and
 * the others do not.
 */
export const subscribersOf = (highWater: number): Subscribers => {
  const subscribers = new Map<Duplex, Subscriber>()
  return {
    serve: (socket) => {
      subscribers.set(socket, serveSubscriber(socket))
      socket.once("close", () => subscribers.delete(socket))
    },
    publish: (topic, frames) => {
      if (subscribers.size === 0) return
      const pieces = messagePieces([Buffer.from(topic, "latin1"), ...frames])
      for (const subscriber of subscribers.values()) subscriber.offer(topic, pieces, highWater)
    },
    end: () => {
      for (const socket of subscribers.keys()) socket.end(() => socket.destroy())
    }
  }
}

/** A socket that a program left behind would be in the way; any other file is left alone. */
const removeStaleSocket = ({ path }: ListenOptions): void => {
  if (path === undefined || path.startsWith("\0")) return
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) rmSync(path, { force: true })
}

const listening = (server: Server, options: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(options, () => {
      server.off("error", reject)
      resolve()
    })
  })

/** Listens at an address, `highWater` as in {@link subscribersOf}. Rejects where nothing can listen there. */
export const openPublisher = async (address: string, highWater: number): Promise<Publisher> => {
  const options = listenOptionsOf(address)
  if (options === undefined) throw new Error(`${address} is no address: write tcp://host:port or ipc://path`)
  const { end, publish, serve } = subscribersOf(highWater)
  const server = createServer({ noDelay: true, keepAlive: true }, serve)
  removeStaleSocket(options)
  await listening(server, options)
  return {
    publish,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        end()
      })
  }
}
