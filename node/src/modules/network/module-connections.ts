import type { IpcError, ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import type { Socket } from "node:net"
import { requestFailed } from "../api/api-call.ts"

/** Maximum number of connections of one module. */
export const MAX_CONNECTIONS = 256

/** Maximum bytes of one connection that a module may allow the node to send ahead. */
export const MOST_GRANTED = 256 * 1024

/** Maximum unsent bytes of one connection; data beyond that is refused. */
export const MOST_UNSENT = 1024 * 1024

/** Maximum unsent bytes of all connections of a module; a single message is at most 8 MiB. */
const MOST_UNSENT_OF_ALL = 64 * 1024 * 1024

interface Connection {
  readonly id: number
  readonly socket: Socket
  /** Bytes that the module still allows. At 0 the node does not read from the socket. */
  window: number
  error: string | undefined
}

/** The open connections of one module. Their changes are sent to it as events. */
export interface ModuleConnections {
  readonly hasRoom: () => boolean
  /** Adds a paused socket, which nothing else reads. Returns its id. */
  readonly add: (socket: Socket) => number
  /** Sends data. Reports whether the connection is full now, or returns the error if the data was refused. */
  readonly send: (id: number, data: Uint8Array) => { readonly isFull: boolean } | IpcError
  readonly grant: (id: number, bytes: number) => IpcError | undefined
  /** Sends the rest and then no more. Returns the socket. */
  readonly finish: (id: number) => Socket | IpcError
  readonly destroyAll: () => void
}

const unknown = (id: number): IpcError => requestFailed(`there is no connection ${id}`)

const exhausted = (text: string): IpcError => ({ kind: "ResourceExhausted", text })

/** No connections. `emit` must be quick. */
export const moduleConnections = (emit: (event: ModuleEventPayload) => void): ModuleConnections => {
  const open = new Map<number, Connection>()
  let lastId = 0

  const receive = (connection: Connection, data: Buffer): void => {
    connection.window -= data.length
    if (connection.window <= 0) connection.socket.pause()
    emit({ _tag: "NetworkReceived", connection_id: connection.id, data })
  }

  const unsentOfAll = (): number => {
    let sum = 0
    for (const { socket } of open.values()) sum += socket.writableLength
    return sum
  }

  return {
    hasRoom: () => open.size < MAX_CONNECTIONS,

    add: (socket) => {
      const connection: Connection = { id: ++lastId, socket, window: 0, error: undefined }
      open.set(connection.id, connection)
      socket.on("data", (data) => receive(connection, data as Buffer))
      socket.on("error", ({ message }) => {
        connection.error = message
      })
      socket.once("end", () => emit({ _tag: "NetworkEnded", connection_id: connection.id }))
      socket.on("drain", () => emit({ _tag: "NetworkDrained", connection_id: connection.id }))
      socket.once("close", () => {
        open.delete(connection.id)
        emit({ _tag: "NetworkClosed", connection_id: connection.id, error: connection.error })
      })
      return connection.id
    },

    send: (id, data) => {
      const socket = open.get(id)?.socket
      if (socket?.writable !== true) return unknown(id)
      if (socket.writableLength > MOST_UNSENT) return exhausted(`the connection ${id} is full: wait for NetworkDrained`)
      if (unsentOfAll() > MOST_UNSENT_OF_ALL) return exhausted("the connections of this module are full")
      // The data is a part of a frame, which nothing reuses.
      return { isFull: !socket.write(data) }
    },

    grant: (id, bytes) => {
      const connection = open.get(id)
      if (connection === undefined) return unknown(id)
      if (connection.window + bytes > MOST_GRANTED) {
        return exhausted(`a connection has up to ${MOST_GRANTED} bytes granted`)
      }
      connection.window += bytes
      if (connection.window > 0) connection.socket.resume()
      return undefined
    },

    finish: (id) => {
      const socket = open.get(id)?.socket
      socket?.end()
      return socket ?? unknown(id)
    },

    destroyAll: () => {
      for (const { socket } of open.values()) socket.destroy()
    }
  }
}
