import { lstatSync, rmSync } from "node:fs"
import { createServer, type ListenOptions, type Server } from "node:net"
import type { Duplex } from "node:stream"
import { listenOptionsOf } from "./address.ts"
import { messagePieces } from "./frames.ts"
import { serveSubscriber, type Subscriber } from "./subscriber.ts"

/** A PUB socket of ZeroMQ at one address. */
export interface Publisher {
  /** Sends frames, of which the first is the topic, to every subscriber of it. Never waits for a subscriber. */
  readonly publish: (topic: string, frames: ReadonlyArray<Uint8Array>) => void
  readonly close: () => Promise<void>
}

/** Connected subscribers of any address. */
export interface Subscribers extends Pick<Publisher, "publish"> {
  /** Serves a connection, which nothing else may read. */
  readonly serve: (socket: Duplex) => void
  /** Ends each connection. */
  readonly end: () => void
}

/**
 * Opens an empty set of subscribers. Each may have at most `highWater` waiting messages, or any number if it is 0.
 * Messages beyond that are dropped for this subscriber only.
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

/** Removes a stale socket of an earlier process. Any other file is kept. */
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

/** Listens on an address, with `highWater` as in {@link subscribersOf}. Rejects if listening fails. */
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
