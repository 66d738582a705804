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

/** Who takes inbound connections. */
export interface IrohListener {
  /** This node's own end. */
  readonly local: Endpoint
  readonly accept: Accept
  readonly how: ListenHow | undefined
}

export interface InboundIroh {
  readonly sockets: IrohSockets
  /** None: all are refused. */
  readonly listener: () => IrohListener | undefined
  /** How long a peer may take for its handshake, and to open its stream. */
  readonly patience: Milliseconds
  readonly drain: ConnectionDrain
}

/** The next connection; none: the sockets are closed. What comes after an interruption is refused. */
const next = (sockets: IrohSockets): Effect.Effect<IrohIncoming | null, unknown> =>
  Effect.tryPromise({
    try: async (signal) => {
      const incoming = await sockets.acceptNext()
      if (signal.aborted) await incoming?.refuse()
      return incoming
    },
    catch: (cause) => cause
  })

/** Whether a connection is taken: there is a listener, and its address is none of a relay. */
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

/** Takes one connection over, or closes it. */
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
 * Takes connections over, one after another, until the sockets are closed. Before its preamble a connection may fail
 * without a word.
 */
export const acceptIroh = (inbound: InboundIroh): Effect.Effect<never> =>
  next(inbound.sockets).pipe(
    Effect.flatMap((incoming) => incoming === null ? Effect.never : greet(incoming, inbound)),
    Effect.catch(() => Effect.yieldNow),
    Effect.forever
  )
