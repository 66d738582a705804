import { connect, createServer, type Server, type Socket } from "node:net"

/** Bytes that wait in the node before a connection counts as full. */
const HIGH_WATER = 64 * 1024

const OPTIONS = { highWaterMark: HIGH_WATER, noDelay: true, keepAlive: true, allowHalfOpen: true } as const

/** A socket on its way to an address, paused. */
export const connectedSocket = (host: string, port: number): Socket => connect({ ...OPTIONS, host, port }).pause()

/** A server that does not listen yet. Its sockets are paused. */
export const socketServer = (take: (socket: Socket) => void): Server =>
  createServer({ ...OPTIONS, pauseOnConnect: true }, take)

/** `host:port` as modules write it. */
export const hostAndPortText = (host: string | undefined, port: number | undefined): string =>
  `${host?.includes(":") === true ? `[${host}]` : host ?? "unknown"}:${port ?? 0}`
