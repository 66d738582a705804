import { createServer, type Socket } from "node:net"

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

server.listen(
  { port: 0, host: "127.0.0.1", backlog: BACKLOG },
  () => process.send!((server.address() as { port: number }).port)
)
process.on("disconnect", () => process.exit())
