import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"

/** A message as it was published. */
export interface PublishedMessage {
  readonly subject: string
  readonly id: number
  readonly event: string
  readonly messageId: string | undefined
}

/** A server of the protocol of NATS as far as a publisher needs it, with a stream that stores each message once. */
export interface ScriptedNats {
  readonly port: number
  readonly stored: ReadonlyArray<PublishedMessage>
  /** What clients said of themselves. */
  readonly connects: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Ends the connection at each message after so many, without storing it. */
  readonly breakAfter: (messages: number) => void
  readonly close: () => Promise<void>
}

const INFO = {
  server_id: "scripted",
  version: "2.10.0",
  proto: 1,
  headers: true,
  max_payload: 1_048_576,
  jetstream: true
}

/** Listens on 127.0.0.1. */
export const scriptedNats = async (): Promise<ScriptedNats> => {
  const stored: Array<PublishedMessage> = []
  const connects: Array<Readonly<Record<string, unknown>>> = []
  const sockets = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY

  const store = (subject: string, headers: string, body: Buffer): void => {
    const messageId = /Nats-Msg-Id: (\S+)/.exec(headers)?.[1]
    const { event, id } = JSON.parse(body.toString())
    if (!stored.some((each) => each.messageId === messageId)) stored.push({ subject, id, event, messageId })
  }

  const publish = (socket: Socket, line: ReadonlyArray<string>, rest: Buffer): Buffer | undefined => {
    const hasHeaders = line[0] === "HPUB"
    const [size, headerSize] = [Number(line.at(-1)), hasHeaders ? Number(line.at(-2)) : 0]
    const reply = line.length === (hasHeaders ? 5 : 4) ? line[2] : undefined
    if (rest.length < size + 2) return undefined
    if (left-- <= 0) {
      left = Number.POSITIVE_INFINITY
      socket.destroy()
    } else {
      store(line[1]!, rest.subarray(0, headerSize).toString(), rest.subarray(headerSize, size))
      const answer = JSON.stringify({ stream: "EVENTS", seq: stored.length })
      if (reply !== undefined) socket.write(`MSG ${reply} 1 ${answer.length}\r\n${answer}\r\n`)
    }
    return rest.subarray(size + 2)
  }

  const serve = (socket: Socket): void => {
    sockets.add(socket)
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket))
    socket.write(`INFO ${JSON.stringify(INFO)}\r\n`)
    let bytes: Buffer = Buffer.alloc(0)
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      for (let end = bytes.indexOf("\r\n"); end >= 0; end = bytes.indexOf("\r\n")) {
        const line = bytes.subarray(0, end).toString()
        const rest = bytes.subarray(end + 2)
        if (line.startsWith("CONNECT ")) connects.push(JSON.parse(line.slice("CONNECT ".length)))
        if (line === "PING") socket.write("PONG\r\n")
        const after = /^H?PUB /.test(line) ? publish(socket, line.split(" "), rest) : rest
        if (after === undefined) return
        bytes = after
      }
    })
  }
  const server = createServer(serve)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    stored,
    connects,
    breakAfter: (messages) => void (left = messages),
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, "close")
    }
  }
}
