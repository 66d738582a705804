import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { patience } from "../../process/patience.ts"

/** A socket whose bytes a test sends and reads by itself. */
export interface RawSocket {
  readonly received: () => Uint8Array
  readonly isClosed: () => boolean
  readonly send: (bytes: Uint8Array) => void
  readonly close: () => void
  /** Calls this with everything that arrives, from the first byte on. */
  readonly listen: (received: (bytes: Uint8Array) => void) => void
}

const rawSocket = (socket: Socket): RawSocket => {
  const pieces: Array<Buffer> = []
  let isClosed = false
  let received: ((bytes: Uint8Array) => void) | undefined
  socket.on("data", (bytes: Buffer) => {
    pieces.push(bytes)
    received?.(bytes)
  })
  socket.on("error", () => undefined)
  socket.on("close", () => {
    isClosed = true
  })
  return {
    received: () => new Uint8Array(Buffer.concat(pieces)),
    isClosed: () => isClosed,
    send: (bytes) => {
      if (!isClosed) socket.write(bytes)
    },
    close: () => void socket.destroy(),
    listen: (next) => {
      received = next
      for (const piece of pieces) next(piece)
    }
  }
}

export const connectRaw = async (port: number): Promise<RawSocket> => {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true })
  await once(socket, "connect")
  return rawSocket(socket)
}

/** Accepts connections, and keeps them all. */
export const acceptRaw = async (): Promise<
  { readonly port: number; readonly accepted: ReadonlyArray<RawSocket>; readonly close: () => void }
> => {
  const accepted: Array<RawSocket> = []
  const server = createServer((socket) => void accepted.push(rawSocket(socket)))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as { readonly port: number }).port,
    accepted,
    close: () => {
      server.close()
      for (const socket of accepted) socket.close()
    }
  }
}

const PATIENCE = patience(20_000)

/** Waits until something holds. */
export const until = async (what: string, holds: () => boolean): Promise<void> => {
  for (const end = Date.now() + PATIENCE; !holds();) {
    if (Date.now() > end) throw new Error(`never came true: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
