import type { Socket } from "node:net"
import { MAGIC } from "./regtest-wire.ts"

/**
 * What a server does with connections of a node, as a node does that knows only v1: it waits for the first bytes, and ends
 * a connection that does not begin with a plain message. The node connects again then.
 */
export const plainConnections = (meet: (socket: Socket) => void) => (socket: Socket): void => {
  socket.on("error", () => undefined)
  socket.once("data", (first: Buffer) => {
    if (Buffer.compare(first.subarray(0, MAGIC.length), MAGIC) !== 0) return void socket.destroy()
    socket.pause()
    socket.unshift(first)
    meet(socket)
    socket.resume()
  })
}
