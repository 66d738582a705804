import type { Connection, ConnectionListener } from "../transport/transport.ts"
import type { PeerKind } from "./peer.ts"

/** Whoever turns connections into peers. */
export interface PeerHost {
  /** Takes a new connection over: there is a peer on it, not ready yet, once this has returned. */
  /** `writtenAs`: how the operator named it who wanted the connection. */
  readonly take: (connection: Connection, kind: PeerKind, writtenAs?: string) => ConnectionListener
}
