import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { acquireRelease, addFinalizer, onExit } from "../../../finalizers/finalizers.ts"
import { isLocal } from "../../../net/address-place.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { addressText, endpointText, parseEndpoint } from "../../../net/endpoint-text.ts"
import type { Milliseconds } from "../../../quantities.ts"
import { type ConnectionDrain, connectionDrain } from "../connection-drain.ts"
import { takeStream } from "../quic/quic-connection.ts"
import { PREAMBLE } from "../quic/quic-preamble.ts"
import { DialError, type ListenError, type Transport } from "../transport.ts"
import type { IrohBinding, IrohConnection, IrohSockets } from "./iroh-binding.ts"
import { libraryFault, isOtherIdentity } from "./iroh-fault.ts"
import { acceptIroh, type IrohListener } from "./iroh-inbound.ts"
import { limitPeer } from "./iroh-limits.ts"
import { isIpv6, openSockets, boundPort, PROTOCOL } from "./iroh-sockets.ts"
import { ownerOf, streamOf } from "./iroh-stream.ts"

export interface IrohOptions {
  readonly binding: IrohBinding
  /** The private key, 32 bytes. */
  readonly seed: Uint8Array
  /** Milliseconds for a connection to be established. The library itself tries for half a minute. */
  readonly connectTimeout: Milliseconds
}

/** Connections accepted at a time; others wait in the library. */
const AT_ONCE = 32

/** Milliseconds for closing, as the library waits for the other sides. */
const CLOSE_MS = 2_000

/** Open sockets, with their connections. */
interface Opened {
  readonly sockets: IrohSockets
  readonly drain: ConnectionDrain
  /** True if they reach nodes beyond this machine. */
  readonly isWide: boolean
}

const failed = (message: string): DialError => new DialError({ message, isProxy: false })

/** Closes sockets. Those that fail to close in time end with the process. */
const closed = ({ sockets }: Opened): Effect.Effect<void> =>
  Effect.promise(() => sockets.close().catch(() => undefined)).pipe(
    Effect.timeoutOrElse({ duration: CLOSE_MS, orElse: () => Effect.void })
  )

const ANY = parseEndpoint("0.0.0.0:0", 0)!
const LOOPBACK = parseEndpoint("127.0.0.1:0", 0)!

/** Makes sockets that only dial: those on the loopback interface reach this machine, the others any node. */
const dialSockets = Effect.fnUntraced(function*(
  { binding, connectTimeout, seed }: IrohOptions,
  scope: Scope.Scope
) {
  const known = new Map<boolean, Opened>()
  const turn = yield* Semaphore.make(1)
  return (isWide: boolean): Effect.Effect<Opened, ListenError> =>
    turn.withPermits(1)(Effect.gen(function*() {
      const found = known.get(isWide)
      if (found !== undefined) return found
      const sockets = yield* openSockets(binding, seed, isWide ? ANY : LOOPBACK)
      const opened: Opened = { sockets, isWide, drain: connectionDrain() }
      known.set(isWide, opened)
      yield* Scope.provide(addFinalizer(() => closed(opened)), scope)
      const inbound = { sockets, drain: opened.drain, patience: connectTimeout, listener: () => undefined }
      yield* Effect.forkIn(acceptIroh(inbound), scope)
      return opened
    }))
})

/** Connects, and opens the one stream. A connection that is established after an interruption is closed. */
const connected = ({ drain, sockets }: Opened, binding: IrohBinding, target: Endpoint, identity: string) => {
  let isLate = false
  let native: IrohConnection | undefined
  return Effect.tryPromise({
    try: async () => {
      const id = binding.EndpointId.fromString(identity)
      const place = endpointText({ address: target.address, port: target.port })
      native = await sockets.connect(new binding.EndpointAddr(id, null, [place]), PROTOCOL)
      drain.opened(native.closed())
      if (isLate) native.close(0n, [])
      limitPeer(native, 0n)
      const stream = streamOf(await native.openBi())
      await stream.write(PREAMBLE)
      return { owner: ownerOf(native), stream }
    },
    catch: (cause) =>
      failed(
        isOtherIdentity(cause) ? `another node answers there: its identity is not ${identity}` : libraryFault(cause)
      )
  }).pipe(
    onExit((exit) =>
      Effect.sync(() => {
        if (exit._tag === "Success") return
        isLate = true
        native?.close(0n, [])
      })
    )
  )
}

/** Returns the reason why an endpoint cannot be dialed, or `undefined`. */
const objection = ({ address, iroh, name }: Endpoint): string | undefined => {
  if (name !== undefined || isIpv6(address) === undefined) return "it is no address of IPv4 or IPv6"
  return iroh?.identity === undefined ? "Iroh needs an identity: name it as iroh://identity@host:port" : undefined
}

/**
 * Makes the transport over Iroh, to nodes at known addresses, without relays and address lookup. Both sides prove their
 * keys, and a connection has one stream. Sockets end with the scope.
 */
export const irohTransport = Effect.fnUntraced(function*(
  options: IrohOptions
): Effect.fn.Return<Transport, never, Scope.Scope> {
  const { binding, connectTimeout, seed } = options
  const scope = yield* Effect.scope
  const dialFrom = yield* dialSockets(options, scope)
  /** Sockets that listen. They also dial, as the library identifies a node by one address. */
  let listening: Opened | undefined
  const socketsFor = (target: Endpoint): Effect.Effect<Opened, ListenError> => {
    const isNear = isLocal(target.address)
    return listening !== undefined && (listening.isWide || isNear)
      ? Effect.succeed(listening)
      : dialFrom(!isNear)
  }
  return {
    name: "iroh",
    dial: (target, accept) => {
      const why = objection(target)
      const identity = target.iroh?.identity
      if (why !== undefined || identity === undefined) {
        return Effect.fail(failed(`${endpointText(target)} cannot be reached: ${why}`))
      }
      const place = `${addressText(target.address)}, port ${target.port}`
      return socketsFor(target).pipe(
        Effect.mapError(({ message }) => failed(message)),
        Effect.flatMap((opened) => connected(opened, binding, target, identity)),
        Effect.timeoutOrElse({
          duration: connectTimeout,
          orElse: () => {
            const reason = `no node with the identity ${identity} answered at ${place} within ${
              connectTimeout / 1_000
            } s`
            return Effect.fail(failed(reason))
          }
        }),
        Effect.map(({ owner, stream }) => takeStream(owner, stream, { remote: target, local: undefined }, accept))
      )
    },
    listen: Effect.fnUntraced(function*(bind, accept, how) {
      let listener: IrohListener | undefined
      const opened = yield* acquireRelease(
        Effect.map(openSockets(binding, seed, bind), (sockets): Opened => ({
          sockets,
          drain: connectionDrain(),
          isWide: !isLocal(bind.address)
        })),
        (made) => {
          listener = undefined
          if (listening === made) listening = undefined
          return Effect.timeoutOrElse(made.drain.stop(() => made.sockets.close()), {
            duration: CLOSE_MS,
            orElse: () => Effect.void
          })
        }
      )
      const { drain, sockets } = opened
      yield* Scope.provide(addFinalizer(() => closed(opened)), scope)
      listening ??= opened
      const port = boundPort(sockets, bind.address)
      const local: Endpoint = { address: bind.address, port, iroh: { identity: sockets.id().toString() } }
      listener = { local, accept, how }
      const inbound = { sockets, drain, patience: connectTimeout, listener: () => listener }
      yield* Effect.forEach(
        Array.from({ length: AT_ONCE }),
        () => Effect.forkIn(acceptIroh(inbound), scope),
        { discard: true }
      )
      return local
    })
  }
})
