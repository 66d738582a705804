import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Connection, ConnectionListener } from "../transport/transport.ts"
import type { PeerKind } from "./peer.ts"
import type { TickingPart } from "./peer-part.ts"

/** Facts about a new connection that only its creator knows. */
export interface Taken {
  readonly kind: PeerKind
  /** The node to connect to, as the operator wrote it. */
  readonly writtenAs?: string | undefined
  /** True if this side begins with the v2 transport. On an inbound connection the peer decides. */
  readonly isV2?: boolean
  /**
   * Called when the connection ended and the peer had sent nothing in answer to the v2 transport, or answered in v1. It
   * may know only v1.
   */
  readonly unanswered?: () => void
}

/** Turns connections into peers. */
export interface PeerHost {
  /** Makes a peer of a new connection; it is not ready yet when this returns. */
  readonly take: (connection: Connection, taken: Taken) => ConnectionListener
}

/** Bytes since the node started, including peers that are gone. */
export interface TrafficTotals {
  received: number
  sent: number
}

/** A host, with its public figures. */
export interface LivePeerHost extends PeerHost {
  /** Number of fibers that handle connections; equal to the number of connections, unless one leaked. */
  readonly fibers: () => number
  /** Sends a payload with any command to a peer, unchanged. Returns true if the peer exists. */
  readonly sendPayload: (id: number, command: string, payload: Uint8Array) => boolean
  /** Ticks ten times a second until the scope ends: first the host's parts in their order, then these. */
  readonly startTicks: (more: ReadonlyArray<TickingPart>) => Effect.Effect<void, never, Scope.Scope>
}
