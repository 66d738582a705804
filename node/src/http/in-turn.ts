import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * Maximum number of waiting requests of all connections together. One read can bring hundreds, of about 14 kB each.
 * Connections are still read meanwhile, since only reading detects a disconnect.
 */
const MOST_WAITING = 4_096

interface Turn {
  latest: ServerResponse
  waiting: number
}

const isOver = (response: ServerResponse): boolean => response.writableFinished || response.destroyed

/**
 * Serves the requests of a connection one after another, however many have arrived. A client that does not wait for its
 * answers uses no more of the node than one that does.
 */
export const inTurn = (listener: RequestListener, mostWaiting = MOST_WAITING): RequestListener => {
  const turns = new Map<Socket, Turn>()
  let waiting = 0

  const start = (socket: Socket, turn: Turn, request: IncomingMessage, response: ServerResponse): void => {
    // The answer could never be sent.
    if (socket.destroyed || !turns.has(socket)) return
    turn.waiting--
    waiting--
    listener(request, response)
  }

  const defer = (socket: Socket, turn: Turn, request: IncomingMessage, response: ServerResponse): void => {
    if (waiting >= mostWaiting) return void socket.destroy()
    turn.waiting++
    waiting++
    turn.latest.once("close", () => start(socket, turn, request, response))
    turn.latest = response
  }

  return (request, response) => {
    const { socket } = request
    const turn = turns.get(socket)
    if (turn === undefined) {
      const first: Turn = { latest: response, waiting: 0 }
      turns.set(socket, first)
      socket.once("close", () => {
        turns.delete(socket)
        waiting -= first.waiting
      })
    } else if (turn.waiting > 0 || !isOver(turn.latest)) return defer(socket, turn, request, response)
    else turn.latest = response
    listener(request, response)
  }
}
