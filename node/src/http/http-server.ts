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

/** Additional share of connections that have ended but are not yet closed. */
const ENDING = 0.25
/** Delay of TCP keep-alive probes, which detect that the client of a waiting call has disconnected. */
const PROBE_MS = 60_000
const CONNECTION_CHECK_MS = 1_000

/** Time that pending answers get when the node stops. */
const STOP_PATIENCE_MS = 1_500

export interface HttpServerOptions {
  readonly bind: HostPort
  /** A client takes at most this long to send its request, and its connection is idle at most as long. */
  readonly timeoutMs: Milliseconds
  readonly listener: RequestListener
  /** Reports whether an address may open one more connection. */
  readonly mayConnect?: (address: string) => boolean
  /** Calls back once every accepted request has been answered. */
  readonly whenQuiet: (done: () => void) => void
  /** True to read a request with both a length and chunks by its chunks; otherwise it is refused. */
  readonly takesChunksWithLength?: boolean
  /**
   * Receives a function that accepts connections of another kind, with the limits of this server, until the server
   * closes.
   */
  readonly takesMore?: ((take: (socket: Duplex) => void) => void) | undefined
  /** Name of the server and of its address setting in messages; those of RPC by default. */
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

/** Accepts no new connections. Idle ones close at once, the others after their answer or after a timeout. */
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

/** Listens until the scope closes, and returns the bound endpoint. */
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
        // Detects that a client waiting for a block has disconnected.
        keepAlive: true,
        keepAliveInitialDelay: PROBE_MS
      }, take)
      server.maxConnections = Math.ceil(most * (1 + ENDING))
      server.on("connection", (socket) => {
        // A QUIC stream belongs to a connection that is already counted.
        const isCounted = provedIdentity(socket) !== undefined
        if (!isCounted && mayConnect?.(socket.remoteAddress ?? "") === false) socket.destroy()
        else connections.opened(socket)
      })
      // A client that asks before it sends a large body gets its refusal at once.
      server.on("checkContinue", take)
      // Without a listener, Node.js closes such connections without an answer.
      server.on("connect", (_, socket) => {
        // Node.js no longer handles errors of such a socket: a reset would crash the node.
        socket.on("error", () => socket.destroy())
        // The answer to an earlier request may have closed the connection: a write would then crash the node.
        if (socket.writable) socket.end(METHOD_NOT_ALLOWED)
      })
      server.on("clientError", (error, socket) => {
        const last = connections.lastOn(socket as Socket)
        // Every earlier request on this connection has been answered.
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
