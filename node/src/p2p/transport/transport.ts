import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/** Where a node can be reached. */
export interface Endpoint {
  /** For a host that only a proxy may look up: an address of no network that stands for `name`. */
  readonly address: NetworkAddress
  readonly port: number
  readonly name?: string
}

/** A way to and from another node, as bytes. Closing is final, and may happen at any time from either side. */
export interface Connection {
  readonly remote: Endpoint
  /** Our own end; none where a proxy stands between. */
  readonly local: Endpoint | undefined
  /**
   * Hands bytes over, to be sent after all before them. Does nothing on a closed connection. `isGiven`: they are the
   * connection's from now on, which gives their memory back when they are gone; otherwise they must not change until then.
   */
  readonly send: (bytes: Uint8Array, isGiven?: boolean) => void
  /** Bytes handed over that the other side has not made room for yet, with what they cost to keep. */
  readonly unsent: () => number
  /** Stops reading: what arrives waits with its sender. */
  readonly pause: () => void
  readonly resume: () => void
  /** Closes at once; what is unsent is lost. `closed` of the listener is told. */
  readonly close: () => void
}

/** Who is told what happens on a connection; never before `accept` has returned, and in order. */
export interface ConnectionListener {
  /** The bytes are the listener's own from now on. */
  readonly received: (bytes: Uint8Array) => void
  /** Nothing is unsent any more. */
  readonly drained: () => void
  /** Once, as the last thing. */
  readonly closed: (reason: string) => void
}

/** Takes a new connection over. */
export type Accept = (connection: Connection) => ConnectionListener

/** Nobody was reached. */
export class DialError extends Schema.TaggedError<DialError>()("DialError", {
  message: Schema.String,
  /** Whether it was our own proxy that failed, so that the address is not to blame. */
  isProxy: Schema.Boolean
}) {}

/** Nobody can reach us there. `message` says what to do. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", {
  message: Schema.String
}) {}

/** How to listen. */
export interface ListenHow {
  /** `[::]` stands for IPv6 alone: without this it takes connections over IPv4 as well. */
  readonly leavesIpv4: boolean
  /**
   * Asked before a connection is accepted: whether there is no use in that now. It is closed at once then, which costs next to
   * nothing; a transport for which that is no cheaper need not ask.
   */
  readonly isFlooded?: () => boolean
  /** Told of each that was closed so. */
  readonly turnedAway?: (remote: Endpoint) => void
}

/** One way of reaching nodes: TCP, or a network within a process. */
export interface Transport {
  readonly name: string
  /** Interrupting it gives up. */
  readonly dial: (target: Endpoint, accept: Accept) => Effect.Effect<Connection, DialError>
  /** Takes connections until the scope ends; yields the endpoint that is really bound. */
  readonly listen: (bind: Endpoint, accept: Accept, how?: ListenHow) => Effect.Effect<Endpoint, ListenError, Scope.Scope>
}
