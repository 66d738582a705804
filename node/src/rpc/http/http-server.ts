import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { HostPort } from "../../config/config.ts"
import { printHostPort } from "../../config/host-port.ts"
import { RpcServerError } from "../rpc-server-error.ts"
import { inTurn } from "./in-turn.ts"
import { mostConnections, mostFiles } from "./most-connections.ts"
import { openConnections } from "./open-connections.ts"

const MAX_HEADER_BYTES = 8_192
/** Of all connections, those that have ended and are not gone yet. */
const ENDING = 0.25
const KEEP_ALIVE_MS = 60_000
const MAX_CONNECTION_CHECK_MS = 5_000

/** How long answers under way may take once the node stops. */
const STOP_PATIENCE_MS = 1_500

export interface HttpServerOptions {
  readonly bind: HostPort
  /** A client takes at most this long to send its request. */
  readonly timeoutMs: number
  readonly listener: RequestListener
  /** Whether an address may connect once more. */
  readonly mayConnect?: (address: string) => boolean
  /** Calls back once every request that was let in has its answer. */
  readonly whenQuiet: (done: () => void) => void
  /** What messages call the server and the setting of its address; none: those of RPC. */
  readonly called?: ServerName
}

interface ServerName {
  readonly name: string
  readonly setting: string
}

const RPC: ServerName = { name: "RPC", setting: "--rpc-addr" }

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there: stop it, or choose another address with",
  EADDRNOTAVAIL: "this machine has no such address: choose another one with",
  EACCES: "this user may not listen there: choose a port above 1023 with",
  ENOTFOUND: "there is no host of that name: write the address as digits in"
}

const listen = (server: Server, bind: HostPort, { name, setting }: ServerName): Effect.Effect<HostPort, RpcServerError> =>
  Effect.callback((resume) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const known = REASONS[error.code ?? ""]
      const reason = known === undefined ? error.message : `${known} ${setting}`
      resume(Effect.fail(new RpcServerError({ message: `cannot listen for ${name} on ${printHostPort(bind)}: ${reason}` })))
    }
    server.once("error", fail)
    server.listen({ host: bind.host, port: bind.port }, () => {
      server.off("error", fail)
      const { address, port } = server.address() as AddressInfo
      resume(Effect.succeed({ host: address, port }))
    })
  })

/** No new connections; idle ones go at once, the others when their answer is out, or when that takes too long. */
const close = (server: Server, whenQuiet: HttpServerOptions["whenQuiet"]): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const patience = setTimeout(() => server.closeAllConnections(), STOP_PATIENCE_MS)
    server.close(() => {
      clearTimeout(patience)
      resume(Effect.void)
    })
    server.closeIdleConnections()
    whenQuiet(() => setImmediate(() => server.closeAllConnections()))
  })

/** Listens until the scope closes; answers where. */
export const httpServer = (options: HttpServerOptions): Effect.Effect<HostPort, RpcServerError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const { bind, called, listener, mayConnect, timeoutMs } = options
      const most = mostConnections(mostFiles())
      const connections = openConnections(most)
      const inOrder = inTurn(listener)
      const take: RequestListener = (request, response) => {
        connections.asked(request, response)
        inOrder(request, response)
      }
      const server = createServer({
        maxHeaderSize: MAX_HEADER_BYTES,
        requestTimeout: timeoutMs,
        headersTimeout: timeoutMs,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: Math.min(timeoutMs, MAX_CONNECTION_CHECK_MS),
        noDelay: true,
        // A client that waits for a block and has vanished is noticed at some time.
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_MS
      }, take)
      server.maxConnections = Math.ceil(most * (1 + ENDING))
      server.on("connection", (socket) => {
        if (mayConnect?.(socket.remoteAddress ?? "") === false) socket.destroy()
        else connections.opened(socket)
      })
      // Whoever asks before sending a large body is told at once when it is not wanted.
      server.on("checkContinue", take)
      return Effect.map(listen(server, bind, called ?? RPC), (address) => ({ address, server }))
    }),
    ({ server }) => close(server, options.whenQuiet)
  ).pipe(Effect.map(({ address }) => address))
