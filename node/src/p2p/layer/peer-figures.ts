import type { AddressFigures } from "../addresses/address-figures.ts"
import type { Peer } from "../peer/peer.ts"
import type { RelayFigures } from "../relay/relay-figures.ts"
import type { FilterFigures } from "../serving/filter-figures.ts"
import type { SyncFigures } from "../sync/sync-figures.ts"

/** Figures that parts of the network layer keep about a peer, for RPC. */
export interface PeerFigures {
  readonly sync: (peer: Peer) => SyncFigures
  readonly relay: (peer: Peer) => RelayFigures
  readonly addresses: (peer: Peer) => AddressFigures
  readonly filters: (peer: Peer) => FilterFigures
}
