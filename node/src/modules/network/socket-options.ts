import { connect, createServer, type Server, type Socket } from "node:net"

/** Bytes that the node buffers before a connection counts as full. */
const HIGH_WATER = 64 * 1024

const OPTIONS = { highWaterMark: HIGH_WATER, noDelay: true, keepAlive: true, allowHalfOpen: true } as const

/** Starts to connect a socket to an address; the socket is paused. */
export const connectedSocket = (host: string, port: number): Socket => connect({ ...OPTIONS, host, port }).pause()

/** Creates a server that does not listen yet. Its sockets are paused. */
export const socketServer = (take: (socket: Socket) => void): Server =>
  createServer({ ...OPTIONS, pauseOnConnect: true }, take)

/** Formats `host:port` as modules write it. */
export const hostAndPortText = (host: string | undefined, port: number | undefined): string =>
  `${host?.includes(":") === true ? `[${host}]` : host ?? "unknown"}:${port ?? 0}`
