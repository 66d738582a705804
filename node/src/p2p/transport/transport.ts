import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Milliseconds } from "../../quantities.ts"
import type { Endpoint } from "../../net/endpoint.ts"

/** A byte stream to and from another node. Closing is final, and may happen at any time from either side. */
export interface Connection {
  readonly remote: Endpoint
  /** Own endpoint; `undefined` behind a proxy, and if QUIC or Iroh does not report it. */
  readonly local: Endpoint | undefined
  /**
   * The network that the peer connects through, if `remote` does not show it: behind an onion service all addresses are
   * local.
   */
  readonly network?: AddressKind | undefined
  /**
   * Queues bytes behind all earlier ones. Does nothing on a closed connection. With `isOwned` the connection owns them
   * and frees their memory once they are sent; otherwise they must not change until then.
   */
  readonly send: (bytes: Uint8Array, isOwned?: boolean) => void
  /** Returns the bytes that the other side has not accepted yet, with the overhead of keeping them. */
  readonly unsent: () => number
  /** Stops reading, so that further bytes wait at the sender (back-pressure). */
  readonly pause: () => void
  readonly resume: () => void
  /** Closes at once; unsent bytes are lost. The listener's `closed` is called. */
  readonly close: () => void
}

/** Receives the events of a connection, in order, and never before `accept` has returned. */
export interface ConnectionListener {
  /** Called with bytes, which the listener then owns. */
  readonly received: (bytes: Uint8Array) => void
  /** Called when everything was sent. */
  readonly drained: () => void
  /** Called once, as the last event. */
  readonly closed: (reason: string) => void
}

/** Accepts a new connection. */
export type Accept = (connection: Connection) => ConnectionListener

/** Reasons of a failed attempt for which a log has its own words. */
const DialFault = Schema.Union([
  Schema.TaggedStruct("NoAnswer", {}),
  /** This node's own proxy accepted the connection and refused to reach the node. */
  Schema.TaggedStruct("ProxyRefused", { answer: Schema.String }),
  Schema.TaggedStruct("ProxyUnreached", { proxy: Schema.String, why: Schema.String })
])

/** A failed attempt to reach a node. */
export class DialError extends Schema.TaggedError<DialError>()("DialError", {
  message: Schema.String,
  /** True if this node's own proxy failed, so that the address is not to blame. */
  isProxy: Schema.Boolean,
  fault: Schema.optional(DialFault)
}) {}

/** Returns the error of an attempt that got no answer in time. */
export const noAnswer = (timeout: Milliseconds): DialError =>
  new DialError({ message: `no answer within ${timeout / 1_000} s`, isProxy: false, fault: { _tag: "NoAnswer" } })

/** A failure to listen. `message` says what to do. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", {
  message: Schema.String
}) {}

/** Options of listening. */
export interface ListenHow {
  /** Makes `[::]` accept only IPv6; otherwise it accepts connections over IPv4 as well. */
  readonly leavesIpv4: boolean
  /**
   * Reports, before a connection is accepted, whether it would be useless now. It is then closed at once, which costs
   * almost nothing. A transport that saves nothing by that need not ask.
   */
  readonly isFlooded?: () => boolean
  /** Called for each connection closed for that reason. */
  readonly turnedAway?: (remote: Endpoint) => void
}

/** A transport: TCP, QUIC, Iroh, or a network within a process. */
export interface Transport {
  readonly name: string
  /** Connects to a node. An interruption cancels it. */
  readonly dial: (target: Endpoint, accept: Accept) => Effect.Effect<Connection, DialError>
  /** Accepts connections until the scope ends. Returns the endpoint that was actually bound. */
  readonly listen: (
    bind: Endpoint,
    accept: Accept,
    how?: ListenHow
  ) => Effect.Effect<Endpoint, ListenError, Scope.Scope>
}
