import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Connection, ConnectionListener } from "../transport/transport.ts"
import type { PeerKind } from "./peer.ts"
import type { TickingPart } from "./peer-part.ts"

/** How a connection was made. */
export interface Taken {
  readonly kind: PeerKind
  /** The name the operator gave for the node to connect to. */
  readonly writtenAs?: string | undefined
  /** Whether this side begins with the v2 transport. On an inbound connection the peer decides. */
  readonly isV2?: boolean
  /** The connection has ended, and the peer had not answered the v2 transport with a single byte, or did so in v1: it may know only v1. */
  readonly unanswered?: () => void
}

/** Turns connections into peers. */
export interface PeerHost {
  /** Makes a peer of a new connection; it is not ready yet once this has returned. */
  readonly take: (connection: Connection, taken: Taken) => ConnectionListener
}

/** Bytes since the node started, of all peers there ever were. */
export interface TrafficTotals {
  received: number
  sent: number
}

/** A host, and what others may know of it. */
export interface LivePeerHost extends PeerHost {
  /** Fibers that handle connections: as many as there are of these, unless one is left over. */
  readonly fibers: () => number
  /** Sends a payload to a peer as it is, whatever its command; answers whether there is such a peer. */
  readonly sendPayload: (id: number, command: string, payload: Uint8Array) => boolean
  /** Ticks ten times a second until the scope ends: the host's parts in their order, then these. */
  readonly startTicks: (more: ReadonlyArray<TickingPart>) => Effect.Effect<void, never, Scope.Scope>
}
