import * as Effect from "effect/Effect"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { parseEndpoint } from "../../../src/net/endpoint-text.ts"

/** What a client asked of the proxy. */
export interface Asked {
  readonly username: string | undefined
  readonly password: string | undefined
  readonly type: number
  readonly host: string
  readonly port: number
}

export interface ProxyBehaviour {
  /** Whether it wants a name and a password. */
  readonly login?: boolean
  /** Where to connect to, whatever is asked for; none: what is asked for. */
  readonly to?: Endpoint
  /** Answers the request with this instead, byte for byte. */
  readonly reply?: Uint8Array
  /** Its first answer. */
  readonly greeting?: Uint8Array
  /** The socket that it listens at; none: a port of this machine. */
  readonly path?: string
  /** Bytes of each piece that it sends while they negotiate. */
  readonly piece?: number
}

export interface Proxy {
  readonly at: Endpoint
  readonly asked: Array<Asked>
  /** Clients that are connected. */
  readonly connections: () => number
}

/** Waits for so many bytes. */
const reader = (socket: Socket) => {
  let held = Buffer.alloc(0)
  let wake: (() => void) | undefined
  const onData = (bytes: Buffer): void => {
    held = Buffer.concat([held, bytes])
    wake?.()
  }
  socket.on("data", onData)
  return {
    take: async (count: number): Promise<Buffer> => {
      while (held.length < count) await new Promise<void>((resolve) => (wake = resolve))
      const taken = held.subarray(0, count)
      held = held.subarray(count)
      return taken
    },
    end: (): void => {
      socket.off("data", onData)
      if (held.length > 0) socket.unshift(held)
    }
  }
}

const say = async (socket: Socket, bytes: Uint8Array, piece: number): Promise<void> => {
  for (let at = 0; at < bytes.length; at += piece) {
    socket.write(bytes.subarray(at, at + piece))
    if (piece < bytes.length) await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

const GRANTED = Uint8Array.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 80)

const hostOf = async (take: (count: number) => Promise<Buffer>, type: number): Promise<string> => {
  if (type === 1) return (await take(4)).join(".")
  if (type === 4) return (await take(16)).toString("hex")
  const length = (await take(1))[0]!
  return (await take(length)).toString()
}

const serve = async (socket: Socket, behaviour: ProxyBehaviour, asked: Array<Asked>): Promise<void> => {
  const { greeting, login = false, piece = 1_000_000, reply, to } = behaviour
  const { end, take } = reader(socket)
  const [, methods] = await take(2)
  const offered = [...await take(methods!)]
  const wantsLogin = login && offered.includes(2)
  await say(socket, greeting ?? Uint8Array.of(5, wantsLogin ? 2 : 0), piece)
  let username: string | undefined
  let password: string | undefined
  if (wantsLogin) {
    const [, nameLength] = await take(2)
    username = (await take(nameLength!)).toString()
    password = (await take((await take(1))[0]!)).toString()
    await say(socket, Uint8Array.of(1, 0), piece)
  }
  const head = await take(4)
  const host = await hostOf(take, head[3]!)
  const port = (await take(2)).readUInt16BE()
  asked.push({ username, password, type: head[3]!, host, port })
  end()
  if (reply !== undefined) return say(socket, reply, piece)
  const target = connect(to?.port ?? port, to === undefined ? host : "127.0.0.1")
  target.on("error", () => socket.end(Uint8Array.of(5, 5, 0, 1, 0, 0, 0, 0, 0, 0)))
  target.on("connect", () => {
    void say(socket, GRANTED, piece).then(() => {
      socket.pipe(target).pipe(socket)
    })
  })
  socket.on("close", () => target.destroy())
  return undefined
}

/** A SOCKS5 proxy on this machine, with faults where wanted. */
export const startProxy = (behaviour: ProxyBehaviour = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly proxy: Proxy; readonly stop: () => void }>((resume) => {
      const asked: Array<Asked> = []
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
        socket.on("error", () => undefined)
        void serve(socket, behaviour, asked)
      })
      const { path } = behaviour
      server.listen(path === undefined ? { port: 0, host: "127.0.0.1" } : { path }, () => {
        const port = path === undefined ? (server.address() as AddressInfo).port : 0
        const stop = (): void => {
          server.close()
          for (const socket of sockets) socket.destroy()
        }
        resume(Effect.succeed({
          proxy: {
            at: parseEndpoint(`127.0.0.1:${port}`, 0)!,
            asked,
            connections: () => sockets.size
          },
          stop
        }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  ).pipe(Effect.map(({ proxy }) => proxy))
