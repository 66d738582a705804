import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Milliseconds } from "../../quantities.ts"
import type { Endpoint } from "../../net/endpoint.ts"

/** A way to and from another node, as bytes. Closing is final, and may happen at any time from either side. */
export interface Connection {
  readonly remote: Endpoint
  /** Our own end; none where a proxy stands between, and where QUIC or Iroh does not say it. */
  readonly local: Endpoint | undefined
  /** The network that the peer connects through, where `remote` does not show it: behind an onion service all are local. */
  readonly network?: AddressKind | undefined
  /**
   * Hands bytes over, to be sent after all before them. Does nothing on a closed connection. `isOwned`: they are the
   * connection's from now on, which gives their memory back when they are gone; otherwise they must not change until
   * then.
   */
  readonly send: (bytes: Uint8Array, isOwned?: boolean) => void
  /** Bytes to send that the other side has not made room for yet, with what they cost to keep. */
  readonly unsent: () => number
  /** Stops reading: what arrives waits with its sender (back-pressure). */
  readonly pause: () => void
  readonly resume: () => void
  /** Closes at once; unsent bytes are lost. The listener's `closed` is called. */
  readonly close: () => void
}

/** Called with what happens on a connection; never before `accept` has returned, and in order. */
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

/** Reason why no node was reached, where a log has words of its own for it. */
const DialFault = Schema.Union([
  Schema.TaggedStruct("NoAnswer", {}),
  /** This node's own proxy took the connection and refused to reach the node. */
  Schema.TaggedStruct("ProxyRefused", { answer: Schema.String }),
  Schema.TaggedStruct("ProxyUnreached", { proxy: Schema.String, why: Schema.String })
])

/** No node was reached. */
export class DialError extends Schema.TaggedError<DialError>()("DialError", {
  message: Schema.String,
  /** Whether this node's own proxy failed, so that the address is not to blame. */
  isProxy: Schema.Boolean,
  fault: Schema.optional(DialFault)
}) {}

/** Returns the error of an attempt that got no answer in time. */
export const noAnswer = (timeout: Milliseconds): DialError =>
  new DialError({ message: `no answer within ${timeout / 1_000} s`, isProxy: false, fault: { _tag: "NoAnswer" } })

/** No node can connect there. `message` says what to do. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", {
  message: Schema.String
}) {}

/** How to listen. */
export interface ListenHow {
  /** `[::]` stands for IPv6 alone: without this it accepts connections over IPv4 as well. */
  readonly leavesIpv4: boolean
  /**
   * Asked before a connection is accepted: whether there is no use in that now. It is closed at once then, which costs
   * next to nothing; a transport for which that is no cheaper need not ask.
   */
  readonly isFlooded?: () => boolean
  /** Called for each connection that was closed so. */
  readonly turnedAway?: (remote: Endpoint) => void
}

/** One way of reaching nodes: TCP, QUIC, Iroh, or a network within a process. */
export interface Transport {
  readonly name: string
  /** Interrupting it gives up. */
  readonly dial: (target: Endpoint, accept: Accept) => Effect.Effect<Connection, DialError>
  /** Takes connections until the scope ends; yields the endpoint that is really bound. */
  readonly listen: (
    bind: Endpoint,
    accept: Accept,
    how?: ListenHow
  ) => Effect.Effect<Endpoint, ListenError, Scope.Scope>
}
