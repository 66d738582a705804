import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Connection, ConnectionListener } from "../transport/transport.ts"
import type { PeerKind } from "./peer.ts"
import type { TickingPart } from "./peer-part.ts"

/** Turns connections into peers. */
export interface PeerHost {
  /**
   * Makes a peer of a new connection; it is not ready yet once this has returned. `writtenAs`: the name the operator
   * gave for the node to connect to.
   */
  readonly take: (connection: Connection, kind: PeerKind, writtenAs?: string) => ConnectionListener
}

/** Bytes since the node started, of all peers there ever were. */
export interface Totals {
  received: number
  sent: number
}

/** A host, and what others may know of it. */
export interface LivePeerHost extends PeerHost {
  /** Fibers that handle connections: as many as there are of these, unless one is left over. */
  readonly fibers: () => number
  /** Ticks ten times a second until the scope ends: the host's parts in their order, then these. */
  readonly startTicks: (more: ReadonlyArray<TickingPart>) => Effect.Effect<void, never, Scope.Scope>
}
