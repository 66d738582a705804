import * as Effect from "effect/Effect"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { Milliseconds } from "../../../quantities.ts"
import { acquireRelease } from "../../../finalizers/finalizers.ts"
import { addressText, endpointText, parseAddress } from "../../../net/endpoint-text.ts"
import { DialError, ListenError, type ListenHow, noAnswer, type Transport } from "../transport.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { socketErrorText, takeSocket } from "./socket-connection.ts"
import { listenReason } from "./listen-reasons.ts"

/** Core's DEFAULT_CONNECT_TIMEOUT. */
export const DIAL_TIMEOUT_MS = 5_000

const BACKLOG = 4_096

const NOWHERE: Endpoint = { address: { network: AddressNetwork.IPV6, bytes: new Uint8Array(16) }, port: 0 }

const endpointOf = (host: string | undefined, port: number | undefined): Endpoint | undefined => {
  const address = parseAddress((host ?? "").replace(/%.*$/, ""))
  return address === undefined ? undefined : { address, port: port ?? 0 }
}

export const localOf = (socket: Socket): Endpoint | undefined => endpointOf(socket.localAddress, socket.localPort)

const isIp = ({ network }: NetworkAddress): boolean =>
  network === AddressNetwork.IPV4 || network === AddressNetwork.IPV6 || network === AddressNetwork.CJDNS

const failed = (message: string, isProxy = false): DialError => new DialError({ message, isProxy })

/** A Unix socket, by its path. */
export interface UnixSocket {
  readonly path: string
}

/** Opens a paused socket to an address of the internet or a Unix socket. An interruption cancels it. */
export const connectSocket = (target: Endpoint | UnixSocket): Effect.Effect<Socket, DialError> =>
  Effect.callback<Socket, DialError>((resume) => {
    const socket = connect(
      "path" in target ? target : { host: addressText(target.address), port: target.port, noDelay: true }
    )
    const fail = (error: NodeJS.ErrnoException): void => resume(Effect.fail(failed(socketErrorText(error))))
    socket.on("error", fail)
    socket.once("connect", () => resume(Effect.succeed(socket)))
    return Effect.sync(() => void socket.destroy())
  })

const bound = (server: Server, bind: Endpoint, ipv6Only: boolean): Effect.Effect<Endpoint, ListenError> =>
  Effect.callback<Endpoint, ListenError>((resume) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const reason = listenReason(error.code) ?? error.message
      resume(
        Effect.fail(new ListenError({ message: `cannot listen for other nodes on ${endpointText(bind)}: ${reason}` }))
      )
    }
    server.once("error", fail)
    server.listen({ host: addressText(bind.address), port: bind.port, backlog: BACKLOG, ipv6Only }, () => {
      server.off("error", fail)
      // Later errors concern single connections that could not be accepted, for lack of file descriptors.
      server.on("error", () => undefined)
      const { address, port } = server.address() as AddressInfo
      resume(Effect.succeed(endpointOf(address, port) ?? bind))
    })
  })

/**
 * Closes connections of a flood before Node.js makes sockets of them. A socket takes many times the memory, and a
 * thousand of them per second live long enough to be moved to the old heap. Node.js reads this number for each
 * connection.
 */
const turnAway = (server: Server, { isFlooded, turnedAway }: ListenHow): void => {
  if (isFlooded === undefined) return
  Object.defineProperty(server, "maxConnections", { get: () => isFlooded() ? 0 : undefined })
  server.on("drop", (dropped) => turnedAway?.(endpointOf(dropped?.remoteAddress, dropped?.remotePort) ?? NOWHERE))
}

/** Makes the transport over TCP to nodes of the internet. `timeout` is for establishing a connection. */
export const tcpTransportWithin = (timeout: Milliseconds): Transport => ({
  name: "tcp",
  dial: (target, accept) => {
    if (!isIp(target.address)) return Effect.fail(failed(`${endpointText(target)} can only be reached through a proxy`))
    return connectSocket(target).pipe(
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.fail(noAnswer(timeout))
      }),
      Effect.map((socket) => takeSocket(socket, { remote: target, local: localOf(socket) }, accept))
    )
  },
  listen: (bind, accept, how = { leavesIpv4: false }) =>
    acquireRelease(
      Effect.suspend(() => {
        const server = createServer({ noDelay: true }, (socket) => {
          const remote = endpointOf(socket.remoteAddress, socket.remotePort)
          if (remote === undefined) socket.destroy()
          else takeSocket(socket, { remote, local: localOf(socket) ?? NOWHERE }, accept)
        })
        turnAway(server, how)
        return Effect.map(bound(server, bind, how.leavesIpv4), (endpoint) => ({ endpoint, server }))
      }),
      ({ server }) => Effect.sync(() => void server.close())
    ).pipe(Effect.map(({ endpoint }) => endpoint))
})

/** The transport over TCP with Bitcoin Core's timeout. */
export const tcpTransport: Transport = tcpTransportWithin(DIAL_TIMEOUT_MS)
