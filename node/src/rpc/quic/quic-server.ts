import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Duplex } from "node:stream"
import type { QuicRpcConfig } from "../../config/config.ts"
import { printHostPort } from "../../config/host-port.ts"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import { QUIC_SCHEME } from "../../net/quic-end.ts"
import type { Milliseconds } from "../../quantities.ts"
import { type LoadedBinding, loadQuicBinding, type NativeServer } from "../../quic/quic-binding.ts"
import { loadQuicKey } from "../../quic/quic-key.ts"
import { quicSettings } from "../../quic/quic-settings.ts"
import { HttpServerError } from "../../http/http-server-error.ts"
import { takeConnection, type TakenConnections, takenConnections, untilQuiet } from "./quic-connections.ts"
import { QUIC_RPC_LIMITS } from "./quic-rpc-limits.ts"

/** File in the data directory with the key that identifies this server to callers. */
export const RPC_QUIC_KEY = "rpc_quic_key"

export interface QuicServerOptions {
  readonly config: QuicRpcConfig
  /** Path of the key file. */
  readonly path: string
  readonly randomBytes: (count: number) => Uint8Array
  readonly timeoutMs: Milliseconds
  /** Reports whether an address may open one more connection. */
  readonly mayConnect: (address: string) => boolean
  /** Handles a stream as the HTTP server handles a connection. */
  readonly take: (socket: Duplex) => void
}

/** Handshake timeout, and the time after which a silent connection counts as lost. */
const SILENCE_MS = 10_000

/** Time that pending answers get when the node stops. */
const STOP_PATIENCE_MS = 1_500

const failed = (message: string): HttpServerError => new HttpServerError({ message })

/** Accepts connections until the server ends. A failed handshake is ignored. */
const acceptAll = async (server: NativeServer, taken: TakenConnections): Promise<void> => {
  for (;;) {
    const native = await server.inboundConnection().catch((cause: unknown) =>
      cause instanceof Error && cause.message.includes("server closed") ? undefined : "failed" as const
    )
    if (native === undefined) return
    if (native !== "failed") takeConnection(native, taken)
  }
}

/** The endpoint on which RPC over QUIC is served. */
export interface QuicPlace {
  /** Address including the identity of the server. */
  readonly address: string
  readonly connections: () => number
}

/** Listens for calls over QUIC until the scope ends. */
export const quicServer = Effect.fnUntraced(function*(
  { config: { bind }, mayConnect, path, randomBytes, take, timeoutMs }: QuicServerOptions,
  loaded: LoadedBinding = loadQuicBinding()
): Effect.fn.Return<QuicPlace, HttpServerError, Scope.Scope> {
  if (loaded._tag === "Missing") {
    const names = loaded.packages.join(" or ")
    return yield* failed(`[rpc.quic] needs a binary for QUIC: install ${names}, or leave it out (${loaded.reason})`)
  }
  const { binding } = loaded
  const key = yield* Effect.mapError(loadQuicKey(path, () => randomBytes(32)), ({ message }) => failed(message))
  const native = new binding.QuinnConfig(quicSettings({
    key,
    handshakeMs: SILENCE_MS,
    idleMs: SILENCE_MS,
    streams: QUIC_RPC_LIMITS.streams.most,
    window: QUIC_RPC_LIMITS.window.most
  }))
  const taken = takenConnections({ idleMs: timeoutMs, mayConnect, take })
  const server = yield* acquireRelease(
    Effect.try({
      try: () => new binding.Server(native, bind.host, bind.port),
      catch: (cause) =>
        failed(`cannot listen for RPC over QUIC at [rpc.quic].bind = ${printHostPort(bind)}: ${String(cause)}`)
    }),
    // The node is stopping: a socket that does not close ends with the process.
    (made) => Effect.promise(() => untilQuiet(taken, STOP_PATIENCE_MS).then(() => made.abort()).catch(() => undefined))
  )
  yield* Effect.forkScoped(
    Effect.tryPromise(() => acceptAll(server, taken)).pipe(
      Effect.catchCause((cause) => Effect.logError("RPC over QUIC takes no more connections", cause)),
      Effect.annotateLogs({ category: "rpc" })
    )
  )
  const address = `${QUIC_SCHEME}${key.identity}@${printHostPort({ host: bind.host, port: server.port() })}`
  yield* Effect.logInfo("RPC listens over QUIC").pipe(Effect.annotateLogs({ category: "rpc", address }))
  return { address, connections: () => taken.open.size }
})
