import type * as Effect from "effect/Effect"
import type { Seconds, UnixMilliseconds } from "../../quantities.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { P2pChain } from "../chain/p2p-chain.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import type { CompactFigures } from "../sync/compact-blocks/compact-figures.ts"
import type { ForeignChains } from "../foreign-chains/foreign-chains.ts"
import type { Connections } from "../connections/connections.ts"
import type { Reputation } from "../connections/reputation.ts"
import type { Environment } from "../basics/environment.ts"
import type { Peer } from "../peer/peer.ts"
import type { Session } from "../peer/session/session.ts"
import type { PeerFigures } from "./peer-figures.ts"
import type { PrivateBroadcast } from "../private-broadcast/private-broadcast.ts"
import type { Orphan } from "../relay/orphanage/orphanage.ts"
import type { ServePolicies } from "../serving/deny-list.ts"
import type { UploadTarget } from "../serving/upload-target.ts"
import type { SyncStatus } from "../sync/sync-status.ts"
import type { Subnet } from "../../net/subnet.ts"
import type { NetGroups } from "../../net/net-groups.ts"
import type { FilterFigures } from "../serving/filter-figures.ts"
import type { OwnAddress } from "../addresses/own-address.ts"
import type { Endpoint, TransportName } from "../../net/endpoint.ts"

/** A network with the proxy through which it is reached. */
export interface NetworkReach {
  /** One of `ipv4`, `ipv6`, `onion`, `i2p`, `cjdns`. */
  readonly name: string
  readonly isReachable: boolean
  /** Address and port; empty without a proxy. */
  readonly proxy: string
  readonly isIsolated: boolean
}

/** A hidden service that another program keeps open for this node: Tor its onion service, an I2P router its session. */
export interface HiddenServiceState {
  readonly network: "i2p" | "onion"
  readonly isUp: boolean
}

/** The network layer as the rest of the node sees it. */
export interface NetworkService {
  readonly environment: Environment
  /** Milliseconds since 1970 by the node's clock. */
  readonly time: () => UnixMilliseconds
  readonly chain: P2pChain
  readonly groups: NetGroups
  /** All connections, by id, in order of arrival. */
  readonly peers: ReadonlyMap<number, Peer>
  readonly figures: PeerFigures
  readonly book: AddressBook
  readonly reputation: Reputation
  /** Saves the bans, if they changed, before the change is confirmed to the caller. */
  readonly keepBans: Effect.Effect<void>
  readonly connections: Connections
  /** Default duration of a ban, in seconds. */
  readonly banSeconds: Seconds
  /** Number of fibers that handle connections. */
  readonly fibers: () => number
  readonly compactBlocks: Readonly<CompactFigures>
  /** Counts of filter messages sent to all peers. */
  readonly filtersSent: () => FilterFigures
  readonly totals: { readonly received: number; readonly sent: number }
  readonly services: () => bigint
  readonly userAgent: string
  readonly protocolVersion: number
  /** True if transactions are relayed. */
  readonly relaysTransactions: boolean
  /** True if this node has the v2 transport. */
  readonly hasV2: boolean
  readonly reach: () => ReadonlyArray<NetworkReach>
  readonly ownAddresses: () => ReadonlyArray<OwnAddress>
  /** State of the onion service and the I2P session, if wanted. */
  readonly hiddenServices: () => ReadonlyArray<HiddenServiceState>
  /** The transports in use. */
  readonly transportNames: ReadonlyArray<TransportName>
  /** The listening endpoints, the primary one first; empty if the node does not listen. */
  readonly listening: ReadonlyArray<Endpoint>
  /** Those that an onion service forwards to. */
  readonly onionListening: ReadonlyArray<Endpoint>
  /** Offsets of outbound peers' clocks from this machine's. */
  readonly clocks: Session["clocks"]
  /** Sends a ping to each peer. */
  readonly pingAll: () => void
  /** Requests a block of the header index from a peer, announced or not. Returns the reason if that is impossible. */
  readonly requestBlock: (peer: Peer, node: HeaderIndexNode) => string | undefined
  readonly uploadTarget: UploadTarget
  /** Refusals to serve, as modules set them. */
  readonly servePolicies: ServePolicies
  /** Disconnects the peers in a banned subnet. */
  readonly disconnectBanned: (subnet: Subnet) => void
  /** The orphanage, ordered by wtxid in wire order. */
  readonly orphans: () => ReadonlyArray<Orphan>
  /** Announces a mempool transaction to all peers that do not know it, even if it was announced before. */
  readonly announceTransaction: (txid: Uint8Array) => void
  /** Sends own transactions through Tor and I2P; `undefined` if they go to all peers. */
  readonly privateBroadcast: PrivateBroadcast | undefined
  readonly syncStatus: () => SyncStatus
  /** Chains that other nodes follow under this network's name. */
  readonly foreignChains: Pick<ForeignChains, "met" | "notice">
  /** Sends any payload to a peer, for tests. Returns true if the peer exists. */
  readonly sendPayload: (id: number, command: string, payload: Uint8Array) => boolean
}
