import { lstatSync, rmSync } from "node:fs"
import { createServer, type ListenOptions, type Server, type Socket } from "node:net"
import { listenOptionsOf } from "./address.ts"
import { messagePieces } from "./frames.ts"
import { serveSubscriber, type Subscriber } from "./subscriber.ts"

/** A PUB socket of ZeroMQ at one address. */
export interface Publisher {
  /** Sends frames, of which the first is the topic, to every subscriber that wants it. It never waits for one. */
  readonly publish: (topic: string, frames: ReadonlyArray<Uint8Array>) => void
  readonly close: () => Promise<void>
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

/**
 * Listens at an address. Each subscriber has at most `highWater` messages waiting for it, 0 without a limit; what comes beyond
 * it misses, and the others do not. Rejects where nothing can listen there.
 */
export const openPublisher = async (address: string, highWater: number): Promise<Publisher> => {
  const options = listenOptionsOf(address)
  if (options === undefined) throw new Error(`${address} is no address: write tcp://host:port or ipc://path`)
  const subscribers = new Map<Socket, Subscriber>()
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    subscribers.set(socket, serveSubscriber(socket))
    socket.once("close", () => subscribers.delete(socket))
  })
  removeStaleSocket(options)
  await listening(server, options)
  return {
    publish: (topic, frames) => {
      if (subscribers.size === 0) return
      const pieces = messagePieces([Buffer.from(topic, "latin1"), ...frames])
      for (const subscriber of subscribers.values()) subscriber.offer(topic, pieces, highWater)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of subscribers.keys()) socket.destroySoon()
      })
  }
}
