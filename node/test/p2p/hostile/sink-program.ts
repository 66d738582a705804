import { createServer, type Socket } from "node:net"
import { hostileQuic } from "./quic-attacker.ts"
import type { NativeServer } from "../../../src/quic/quic-binding.ts"

// What an attack costs a program that does nothing about it: takes as many connections as it has places for, reads, and
// forgets.
const PLACES = Number(process.argv[2])
const BACKLOG = 4_096

const open = new Set<Socket>()
const server = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => {})
  if (open.size >= PLACES) return socket.destroy()
  open.add(socket)
  socket.on("close", () => open.delete(socket))
  socket.resume()
})

/** Takes connections over QUIC, and forgets them: the library reads what there is room for. */
const takeOverQuic = async (listening: NativeServer): Promise<void> => {
  for (;;) {
    const native = await listening.inboundConnection().catch(() => undefined)
    if (native === undefined) continue
    if (++overQuic > PLACES) native.abort()
    void native.closed().finally(() => overQuic--)
  }
}

let overQuic = 0

server.listen({ port: 0, host: "127.0.0.1", backlog: BACKLOG }, () => {
  const { port } = server.address() as { port: number }
  const quic = hostileQuic(0)
  if (quic !== undefined) void takeOverQuic(new quic.binding.Server(quic.config, "127.0.0.1", port))
  process.send!(port)
})
process.on("disconnect", () => process.exit())
