import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/**
 * A way to a node that lets through as much as a test wants of what the node sends. What goes to the node is not held.
 */
export interface GatedLine {
  /** Where to connect to instead. */
  readonly port: number
  /** Lets so many more bytes through. */
  readonly allow: (bytes: number) => void
  /** Bytes that went through so far. */
  readonly passed: () => number
  readonly close: () => void
}

/** A line to a port of this machine; nothing of what the node sends comes through at first. */
export const gatedLine = async (to: number): Promise<GatedLine> => {
  const sockets = new Set<Socket>()
  let room = 0
  let passed = 0
  const flows = new Set<() => void>()

  const server = createServer((near) => {
    const far = connect(to, "127.0.0.1")
    const held: Array<Buffer> = []
    const flow = (): void => {
      while (room > 0 && held.length > 0) {
        const piece = held.shift()!
        const part = piece.subarray(0, room)
        if (part.length < piece.length) held.unshift(piece.subarray(part.length))
        room -= part.length
        passed += part.length
        near.write(part)
      }
    }
    flows.add(flow)
    far.on("data", (piece: Buffer) => {
      held.push(piece)
      flow()
    })
    near.on("data", (piece: Buffer) => void far.write(piece))
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        flows.delete(flow)
        other.destroy()
      })
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as { readonly port: number }).port,
    allow: (bytes) => {
      room += bytes
      for (const flow of flows) flow()
    },
    passed: () => passed,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}
