import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as Scope from "effect/Scope"
import { addFinalizer, onInterrupt } from "../../../finalizers/finalizers.ts"
import { endpointText } from "../../../net/endpoint-text.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { takeSocket } from "../tcp/socket-connection.ts"
import { type Accept, type Connection, DialError, ListenError, type Transport } from "../transport.ts"
import type { TraceEvent } from "../../../runtime/trace.ts"
import { I2pError } from "./i2p-error.ts"
import {
  I2P_PORT,
  type I2pRouter,
  type I2pSession,
  type I2pStream,
  persistentSession,
  transientSession
} from "./i2p-session.ts"

/** Maximum number of sessions kept for reuse after a failed attempt. */
const MOST_UNUSED = 10

/** A transport into I2P that can also accept connections. */
export interface I2pNetwork {
  readonly transport: Transport
  /** Dials from an address that is used only for this connection. */
  readonly transient: Transport
  /** Waits for one node to connect. `listening` is called once this node can be reached at the address. */
  readonly accept: (accept: Accept, listening: (own: Endpoint) => void) => Effect.Effect<Connection, I2pError>
}

export interface I2pOptions extends I2pRouter {
  /** The file with the key of this node's address; `undefined` if each connection uses another address. */
  readonly keyFile: string | undefined
}

const dialError = ({ isProxy, message }: I2pError): DialError => new DialError({ isProxy, message })

const connectionOf = (
  { sam }: I2pStream,
  ends: { readonly remote: Endpoint; readonly local: Endpoint },
  accept: Accept
) => {
  const early = sam.detach()
  return takeSocket(sam.socket, ends, accept, early)
}

/** Refuses endpoints that no session reaches, before a session is made. */
const reachable = ({ address, port }: Endpoint): Effect.Effect<void, I2pError> =>
  address.network === AddressNetwork.I2P && port === I2P_PORT
    ? Effect.void
    : Effect.fail(
      new I2pError({ message: `port ${port} cannot be reached: nodes in I2P have port 0 alone`, isProxy: false })
    )

/** Returns the event of a failed attempt. */
const dialFailed = (target: Endpoint, { message, unreached }: I2pError): TraceEvent => ({
  _tag: "I2pDialFailed",
  address: endpointText(target),
  reason: message,
  port: target.port === I2P_PORT ? undefined : target.port,
  router: unreached
})

const dialOn = (session: I2pSession, target: Endpoint, accept: Accept) =>
  Effect.map(
    session.connect(target),
    (stream) => connectionOf(stream, { remote: target, local: session.own }, accept)
  )

const noListening: Transport["listen"] = () =>
  Effect.fail(new ListenError({ message: "a node in I2P waits for others without a place of its own" }))

/**
 * Makes the transport into I2P through a router on this machine or in the local network. Its sessions end with the
 * scope.
 */
export const i2pNetwork = Effect.fn("i2p.network")(function*(
  options: I2pOptions
): Effect.fn.Return<I2pNetwork, never, Scope.Scope> {
  const { keyFile, trace } = options
  const one = yield* Semaphore.make(1)
  const sessions = new Set<I2pSession>()
  const unused: Array<I2pSession> = []
  let shared: I2pSession | undefined
  yield* addFinalizer(() => Effect.sync(() => sessions.forEach(({ close }) => close())))

  const known = (session: I2pSession): I2pSession => {
    for (const each of sessions) if (!each.isOpen()) sessions.delete(each)
    sessions.add(session)
    return session
  }

  /** Returns the session with this node's address. Makes a new one if the router has ended it. */
  const own = (file: string): Effect.Effect<I2pSession, I2pError> =>
    one.withPermits(1)(Effect.suspend(() => {
      if (shared?.isOpen() === true) return Effect.succeed(shared)
      return Effect.map(persistentSession(options, file), (session) => {
        shared = known(session)
        return session
      })
    }))

  const openUnused = (): I2pSession | undefined => {
    for (let session = unused.pop(); session !== undefined; session = unused.pop()) {
      if (session.isOpen()) return session
    }
    return undefined
  }

  /** Dials an endpoint that a session can reach, and traces a failure. */
  const dialing = (
    target: Endpoint,
    dialed: Effect.Effect<Connection, I2pError>
  ): Effect.Effect<Connection, DialError> =>
    Effect.andThen(reachable(target), dialed).pipe(
      Effect.tapError((error) => Effect.sync(() => trace?.(dialFailed(target, error)))),
      Effect.mapError(dialError)
    )

  const dialTransient: Transport["dial"] = (target, accept) =>
    dialing(
      target,
      Effect.gen(function*() {
        const session = openUnused() ?? known(yield* transientSession(options))
        const stream = yield* session.connect(target).pipe(
          Effect.tapError(() =>
            Effect.sync(() => {
              if (session.isOpen() && unused.length < MOST_UNUSED) unused.push(session)
              else session.close()
            })
          ),
          (dialed) => onInterrupt(dialed, () => Effect.sync(session.close))
        )
        stream.sam.socket.once("close", session.close)
        return connectionOf(stream, { remote: target, local: session.own }, accept)
      })
    )

  const transient: Transport = { name: "i2p", dial: dialTransient, listen: noListening }
  const transport: Transport = keyFile === undefined ? transient : {
    ...transient,
    dial: (target, accept) =>
      dialing(target, Effect.flatMap(own(keyFile), (session) => dialOn(session, target, accept)))
  }
  return {
    transport,
    transient,
    accept: (accept, listening) =>
      Effect.gen(function*() {
        const session = yield* own(keyFile!)
        const { remote, ...stream } = yield* session.accept(() => listening(session.own))
        return connectionOf(stream, { remote, local: session.own }, accept)
      })
  }
})
