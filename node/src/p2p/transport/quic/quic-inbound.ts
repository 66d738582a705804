import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { onExit } from "../../../finalizers/finalizers.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import type { Milliseconds } from "../../../quantities.ts"
import type { Accept, ListenHow } from "../transport.ts"
import type { NativeConnection, NativeServer, NativeStream } from "../../../quic/quic-binding.ts"
import type { ConnectionDrain } from "../connection-drain.ts"
import { takeStream } from "./quic-connection.ts"
import { readPreamble } from "./quic-preamble.ts"
import { remoteOf } from "../../../quic/quic-remote.ts"

/** Connections accepted at a time; others wait for their handshake in the library. */
const AT_ONCE = 32

export interface InboundQuic {
  readonly server: NativeServer
  /** This node's own endpoint. */
  readonly local: Endpoint
  readonly accept: Accept
  readonly how: ListenHow | undefined
  /** Milliseconds for a peer to open its stream. */
  readonly patience: Milliseconds
  readonly drain: ConnectionDrain
}

const next = (server: NativeServer): Effect.Effect<NativeConnection, unknown> =>
  Effect.tryPromise({
    try: async (signal) => {
      const native = await server.inboundConnection()
      if (signal.aborted) native.abort()
      return native
    },
    catch: (cause) => cause
  })

/** Returns the stream of a peer, once its preamble has arrived; `undefined` for another preamble. */
const streamOf = async (native: NativeConnection): Promise<NativeStream | undefined> => {
  const stream = await native.inboundStream()
  return await readPreamble(stream) ? stream : undefined
}

/** Accepts one connection, or closes it. */
const greet = (
  native: NativeConnection,
  { accept, how, drain, local, patience }: InboundQuic
): Effect.Effect<void, unknown> => {
  drain.opened(native.closed())
  const remote = remoteOf(native)
  if (remote === undefined) return Effect.sync(() => native.abort())
  if (how?.isFlooded?.() === true) {
    return Effect.sync(() => {
      native.abort()
      how.turnedAway?.(remote)
    })
  }
  return Effect.tryPromise({ try: () => streamOf(native), catch: (cause) => cause }).pipe(
    Effect.timeout(patience),
    Effect.map((stream) =>
      stream === undefined ? native.abort() : void takeStream(native, stream, { remote, local }, accept)
    ),
    onExit((exit) => exit._tag === "Success" ? Effect.void : Effect.sync(() => native.abort()))
  )
}

const isOver = (cause: unknown): boolean => cause instanceof Error && cause.message.includes("server closed")

/** Accepts connections until the scope ends. Before its preamble a connection may fail silently. */
export const acceptPeers = (inbound: InboundQuic): Effect.Effect<void, never, Scope.Scope> => {
  const one = next(inbound.server).pipe(
    Effect.flatMap((native) => greet(native, inbound)),
    Effect.catch((cause) => isOver(cause) ? Effect.never : Effect.yieldNow)
  )
  return Effect.forEach(Array.from({ length: AT_ONCE }), () => Effect.forkScoped(Effect.forever(one)), {
    discard: true
  })
}
