import type { Accept, Connection, ConnectionListener } from "../../../src/p2p/transport/transport.ts"

/** A side of a connection that writes down what happens to it. */
export interface Side {
  readonly connection: Connection
  readonly bytes: Array<number>
  drained: number
  readonly closed: Array<string>
  /** What came in an order that is not allowed. */
  readonly faults: Array<string>
}

export interface Recorder {
  readonly accept: Accept
  readonly sides: Array<Side>
}

export const recorder = (onAccept: (connection: Connection) => void = () => undefined): Recorder => {
  const sides: Array<Side> = []
  return {
    sides,
    accept: (connection): ConnectionListener => {
      const side: Side = { connection, bytes: [], drained: 0, closed: [], faults: [] }
      let isTaken = false
      const check = (what: string): void => {
        if (!isTaken) side.faults.push(`${what} before accept returned`)
        if (side.closed.length > 0) side.faults.push(`${what} after closed`)
      }
      sides.push(side)
      onAccept(connection)
      isTaken = true
      return {
        received: (bytes) => {
          check("received")
          for (const byte of bytes) side.bytes.push(byte)
        },
        drained: () => {
          check("drained")
          side.drained++
        },
        closed: (reason) => {
          check("closed")
          side.closed.push(reason)
        }
      }
    }
  }
}
