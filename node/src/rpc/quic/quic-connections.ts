import type { Duplex } from "node:stream"
import { addressText } from "../../net/endpoint-text.ts"
import type { Milliseconds } from "../../quantities.ts"
import type { NativeConnection } from "../../quic/quic-binding.ts"
import { remoteOf } from "../../quic/quic-remote.ts"
import { type QuicRemote, quicSocket } from "../../quic/quic-socket.ts"
import { QUIC_RPC_LIMITS } from "./quic-rpc-limits.ts"

/** Connections of callers over QUIC. */
export interface TakenConnections {
  /** Time without a call after which a connection is closed. */
  readonly idleMs: Milliseconds
  readonly mayConnect: (address: string) => boolean
  /** Handles a stream that carries calls. */
  readonly take: (socket: Duplex) => void
  /** Open connections, the oldest first, with the number of their open streams. */
  readonly open: Map<NativeConnection, number>
  /** Called when a connection has no open stream any more. */
  quiet: () => void
}

export const takenConnections = (options: Omit<TakenConnections, "open" | "quiet">): TakenConnections => ({
  ...options,
  open: new Map(),
  quiet: () => undefined
})

/** Waits until no call is under way, or until `patience` has passed. */
export const untilQuiet = (taken: TakenConnections, patience: Milliseconds): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, patience)
    taken.quiet = () => {
      if ([...taken.open.values()].some((streams) => streams > 0)) return
      clearTimeout(timer)
      resolve()
    }
    taken.quiet()
  })

/** Frees a slot by closing a connection without a call. Returns false if every connection has one. */
const makeRoom = ({ open }: TakenConnections): boolean => {
  if (open.size < QUIC_RPC_LIMITS.connections.most) return true
  const [idle] = [...open].find(([, streams]) => streams === 0) ?? []
  if (idle === undefined) return false
  open.delete(idle)
  idle.abort()
  return true
}

/** Accepts streams of a connection until it ends. */
const takeStreams = async (native: NativeConnection, remote: QuicRemote, taken: TakenConnections): Promise<void> => {
  const { idleMs, open, take } = taken
  const idle = setTimeout(() => open.get(native) === 0 ? native.abort() : idle.refresh(), idleMs)
  const count = (change: number): void => {
    const streams = open.get(native)
    if (streams === undefined) return
    open.set(native, streams + change)
    taken.quiet()
    idle.refresh()
  }
  const ended = (): void => {
    clearTimeout(idle)
    open.delete(native)
    taken.quiet()
  }
  native.closed().then(ended, ended)
  for (;;) {
    const socket = quicSocket(await native.inboundStream(), remote)
    count(1)
    socket.once("close", () => count(-1))
    take(socket)
  }
}

/** Accepts a connection, or closes it if it is not allowed. */
export const takeConnection = (native: NativeConnection, taken: TakenConnections): void => {
  const remote = remoteOf(native)
  const identity = remote?.quic?.identity
  if (
    remote === undefined || identity === undefined || !taken.mayConnect(addressText(remote.address)) || !makeRoom(taken)
  ) {
    return native.abort()
  }
  taken.open.set(native, 0)
  const caller = { remoteAddress: addressText(remote.address), remotePort: remote.port, identity }
  // An error of the streams closes the connection, which the caller may already have done.
  takeStreams(native, caller, taken).catch(() => native.abort())
}
