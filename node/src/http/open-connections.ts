import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** The open connections of a server. At the limit, each new connection evicts the least useful one. */
export interface OpenConnections {
  readonly opened: (socket: Socket) => void
  /** Records that a request has begun on a connection. */
  readonly asked: (request: IncomingMessage, response: ServerResponse) => void
  /** Removes a connection that another one replaces. */
  readonly replaced: (socket: Socket) => void
  /** Returns the answer to the latest request of a connection, finished or not. */
  readonly lastOn: (socket: Socket) => ServerResponse | undefined
  readonly count: () => number
}

/**
 * Returns the activity of a connection: none, a request that is being received, or an answer that is being made or
 * sent.
 */
const busyness = (last: ServerResponse | undefined): "idle" | "sending" | "waiting" => {
  if (last === undefined || last.writableFinished || last.destroyed) return "idle"
  return last.req.complete ? "waiting" : "sending"
}

export const openHttpConnections = (most: number): OpenConnections => {
  // In the order of their latest requests.
  const latest = new Map<Socket, ServerResponse | undefined>()

  /**
   * Returns the connection that has been idle the longest, else the one that has been sending its request the longest.
   */
  const leastUseful = (): Socket | undefined => {
    let sending: Socket | undefined
    for (const [socket, response] of latest) {
      const now = busyness(response)
      if (now === "idle") return socket
      if (now === "sending") sending ??= socket
    }
    return sending
  }

  const end = (socket: Socket): void => {
    latest.delete(socket)
    socket.destroy()
  }

  return {
    opened: (socket) => {
      if (latest.size >= most) {
        const ended = leastUseful()
        // All others wait for answers, so the new one is closed.
        if (ended === undefined) return void socket.destroy()
        end(ended)
      }
      latest.set(socket, undefined)
      socket.once("close", () => void latest.delete(socket))
    },
    asked: ({ socket }, response) => {
      if (!latest.delete(socket)) return
      latest.set(socket, response)
    },
    replaced: (socket) => void latest.delete(socket),
    lastOn: (socket) => latest.get(socket),
    count: () => latest.size
  }
}
