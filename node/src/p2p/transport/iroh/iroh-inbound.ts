import * as Effect from "effect/Effect"
import { onExit } from "../../../finalizers/finalizers.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { parseEndpoint } from "../../../net/endpoint-text.ts"
import type { Milliseconds } from "../../../quantities.ts"
import type { ConnectionDrain } from "../connection-drain.ts"
import { takeStream } from "../quic/quic-connection.ts"
import { readPreamble } from "../quic/quic-preamble.ts"
import type { Accept, ListenHow } from "../transport.ts"
import type { IrohConnection, IrohIncoming, IrohSockets } from "./iroh-binding.ts"
import { limitPeer } from "./iroh-limits.ts"
import { ownerOf, streamOf } from "./iroh-stream.ts"

/** The listener that accepts inbound connections. */
export interface IrohListener {
  /** This node's own endpoint. */
  readonly local: Endpoint
  readonly accept: Accept
  readonly how: ListenHow | undefined
}

export interface InboundIroh {
  readonly sockets: IrohSockets
  /** Returns the listener; `undefined` if all connections are refused. */
  readonly listener: () => IrohListener | undefined
  /** Milliseconds for a peer's handshake, and for opening its stream. */
  readonly patience: Milliseconds
  readonly drain: ConnectionDrain
}

/**
 * Returns the next connection, or null once the sockets are closed. A connection that arrives after an interruption is
 * refused.
 */
const next = (sockets: IrohSockets): Effect.Effect<IrohIncoming | null, unknown> =>
  Effect.tryPromise({
    try: async (signal) => {
      const incoming = await sockets.acceptNext()
      if (signal.aborted) await incoming?.refuse()
      return incoming
    },
    catch: (cause) => cause
  })

/**
 * Admits a connection if a listener exists, no flood is under way, and its address is not that of a relay. Otherwise
 * refuses it.
 */
const welcome = async (
  incoming: IrohIncoming,
  listener: IrohListener | undefined
): Promise<{ readonly place: Endpoint; readonly listener: IrohListener } | undefined> => {
  const { addr, kind } = await incoming.remoteAddr()
  const place = kind === "ip" && addr !== undefined ? parseEndpoint(addr, 0) : undefined
  if (listener !== undefined && place !== undefined && listener.how?.isFlooded?.() !== true) return { place, listener }
  await incoming.refuse()
  if (place !== undefined) listener?.how?.turnedAway?.(place)
  return undefined
}

const taken = async (
  native: IrohConnection,
  place: Endpoint,
  { accept, local }: IrohListener,
  isLate: () => boolean
): Promise<void> => {
  const stream = streamOf(await native.acceptBi())
  const isPeer = await readPreamble(stream)
  if (!isPeer || isLate()) return native.close(0n, [])
  const remote: Endpoint = { ...place, iroh: { identity: native.remoteId().toString() } }
  takeStream(ownerOf(native), stream, { remote, local }, accept)
}

/** Accepts one connection, or closes it. */
const greet = (incoming: IrohIncoming, { drain, listener, patience }: InboundIroh): Effect.Effect<void, unknown> => {
  let native: IrohConnection | undefined
  let isLate = false
  const greeting = Effect.tryPromise({
    try: async () => {
      const found = await welcome(incoming, listener())
      if (found === undefined) return
      native = await (await incoming.accept()).connect()
      drain.opened(native.closed())
      if (isLate) return native.close(0n, [])
      limitPeer(native, 1n)
      await taken(native, found.place, found.listener, () => isLate)
    },
    catch: (cause) => cause
  })
  return greeting.pipe(
    Effect.timeout(patience),
    onExit((exit) =>
      Effect.sync(() => {
        if (exit._tag === "Success") return
        isLate = true
        native?.close(0n, [])
      })
    )
  )
}

/**
 * Accepts connections, one after another, until the sockets are closed. Before its preamble a connection may fail
 * silently.
 */
export const acceptIroh = (inbound: InboundIroh): Effect.Effect<never> =>
  next(inbound.sockets).pipe(
    Effect.flatMap((incoming) => incoming === null ? Effect.never : greet(incoming, inbound)),
    Effect.catch(() => Effect.yieldNow),
    Effect.forever
  )
