import type { Milliseconds } from "../quantities.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { HostPort } from "../config/config.ts"
import { printHostPort } from "../config/host-port.ts"
import { acquireRelease } from "../finalizers/finalizers.ts"
import { provedIdentity } from "../quic/quic-socket.ts"
import { HttpServerError } from "./http-server-error.ts"
import { endBroken, hasLongHead, MAX_HEAD_BYTES, METHOD_NOT_ALLOWED } from "./broken-requests.ts"
import { BAD_REQUEST, sendAnswer } from "./http-answer.ts"
import { readBareLines } from "./bare-line-ends.ts"
import { readByChunks } from "./chunks-with-length.ts"
import { inTurn } from "./in-turn.ts"
import { mostConnections, mostFiles } from "./most-connections.ts"
import { openHttpConnections } from "./open-connections.ts"
import { settingName } from "../front/setting-name.ts"

/** Of all connections, those that have ended and are not gone yet. */
const ENDING = 0.25
/** How soon it is noticed that the client of a call that waits has gone. */
const PROBE_MS = 60_000
const CONNECTION_CHECK_MS = 1_000

/** How long answers under way may take once the node stops. */
const STOP_PATIENCE_MS = 1_500

export interface HttpServerOptions {
  readonly bind: HostPort
  /** A client takes at most this long to send its request, and its connection is idle at most as long. */
  readonly timeoutMs: Milliseconds
  readonly listener: RequestListener
  /** Whether an address may connect once more. */
  readonly mayConnect?: (address: string) => boolean
  /** Calls back once every accepted request has its answer. */
  readonly whenQuiet: (done: () => void) => void
  /** Whether a request that has a length and chunks is read by its chunks; it is refused otherwise. */
  readonly takesChunksWithLength?: boolean
  /** Gets what takes a connection of another kind, with the limits of this server, until that ends. */
  readonly takesMore?: ((take: (socket: Duplex) => void) => void) | undefined
  /** What messages call the server and the setting of its address; none: those of RPC. */
  readonly called?: ServerName
}

interface ServerName {
  readonly name: string
  readonly setting: string
}

const RPC: ServerName = { name: "RPC", setting: settingName("--rpc-addr") }

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there: stop it, or choose another address with",
  EADDRNOTAVAIL: "this machine has no such address: choose another one with",
  EACCES: "this user may not listen there: choose a port above 1023 with",
  ENOTFOUND: "there is no host of that name: write the address as digits in"
}

const listen = (
  server: Server,
  bind: HostPort,
  { name, setting }: ServerName
): Effect.Effect<HostPort, HttpServerError> =>
  Effect.callback((resume) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const known = REASONS[error.code ?? ""]
      const reason = known === undefined ? error.message : `${known} ${setting}`
      const message = `cannot listen for ${name} on ${printHostPort(bind)}: ${reason}`
      resume(Effect.fail(new HttpServerError({ message, code: error.code })))
    }
    server.once("error", fail)
    server.listen({ host: bind.host, port: bind.port }, () => {
      server.off("error", fail)
      const { address, port } = server.address() as AddressInfo
      resume(Effect.succeed({ host: address, port }))
    })
  })

/**
 * Accepts no new connections. Idle ones close at once, the others when their answer is out, or when that takes too
 * long.
 */
const close = (server: Server, whenQuiet: HttpServerOptions["whenQuiet"]): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => server.closeAllConnections(), STOP_PATIENCE_MS)
    server.close(() => {
      clearTimeout(timer)
      resume(Effect.void)
    })
    server.closeIdleConnections()
    whenQuiet(() => setImmediate(() => server.closeAllConnections()))
  })

/** Listens until the scope closes; answers where. */
export const httpServer = (options: HttpServerOptions): Effect.Effect<HostPort, HttpServerError, Scope.Scope> =>
  acquireRelease(
    Effect.suspend(() => {
      const { bind, called, listener, mayConnect, timeoutMs } = options
      const most = mostConnections(mostFiles())
      const connections = openHttpConnections(most)
      const inOrder = inTurn(listener)
      const take: RequestListener = (request, response) => {
        connections.asked(request, response)
        if (!hasLongHead(request)) return inOrder(request, response)
        request.resume()
        return sendAnswer(response, BAD_REQUEST, true)
      }
      const server = createServer({
        maxHeaderSize: MAX_HEAD_BYTES,
        requireHostHeader: false,
        requestTimeout: timeoutMs,
        headersTimeout: timeoutMs,
        keepAliveTimeout: timeoutMs,
        keepAliveTimeoutBuffer: 0,
        connectionsCheckingInterval: Math.min(timeoutMs, CONNECTION_CHECK_MS),
        noDelay: true,
        // So the node notices when a client that waits for a block has vanished.
        keepAlive: true,
        keepAliveInitialDelay: PROBE_MS
      }, take)
      server.maxConnections = Math.ceil(most * (1 + ENDING))
      server.on("connection", (socket) => {
        // A stream of QUIC is one of a connection that was counted.
        const isCounted = provedIdentity(socket) !== undefined
        if (!isCounted && mayConnect?.(socket.remoteAddress ?? "") === false) socket.destroy()
        else connections.opened(socket)
      })
      // A client that asks before sending a large body gets its refusal at once.
      server.on("checkContinue", take)
      // Without a listener Node ends such connections without a word.
      server.on("connect", (_, socket) => {
        // Node no longer listens for faults of such a socket: a reset would end the node.
        socket.on("error", () => socket.destroy())
        // The answer to an earlier request may have ended the connection: a write would then end the node.
        if (socket.writable) socket.end(METHOD_NOT_ALLOWED)
      })
      server.on("clientError", (error, socket) => {
        const last = connections.lastOn(socket as Socket)
        // Nothing that came before it on this connection is unanswered.
        const isFirst = last === undefined || last.writableFinished
        const isTaken = isFirst && (readBareLines(server, error, socket as Socket) ||
          (options.takesChunksWithLength === true && readByChunks(server, error, socket as Socket)))
        if (isTaken) connections.replaced(socket as Socket)
        else endBroken(error, socket, last)
      })
      return Effect.map(listen(server, bind, called ?? RPC), (address) => {
        options.takesMore?.((socket) => void server.emit("connection", socket))
        return { address, server }
      })
    }),
    ({ server }) => close(server, options.whenQuiet)
  ).pipe(Effect.map(({ address }) => address))
