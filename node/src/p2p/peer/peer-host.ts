import type { Connection, ConnectionListener } from "../transport/transport.ts"
import type { PeerKind } from "./peer.ts"

/** Turns connections into peers. */
export interface PeerHost {
  /** Takes a new connection over: there is a peer on it, not ready yet, once this has returned. */
  /** `writtenAs`: the name the operator gave for the node to connect to. */
  readonly take: (connection: Connection, kind: PeerKind, writtenAs?: string) => ConnectionListener
}
