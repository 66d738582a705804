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

/** A proxy that a kind of address is reached through. */
export interface NetworkReach {
  /** `ipv4`, `ipv6`, `onion`, `i2p`, `cjdns`. */
  readonly name: string
  readonly isReachable: boolean
  /** Address and port, or empty. */
  readonly proxy: string
  readonly isIsolated: boolean
}

/** A way for others to this node that another program keeps open: Tor its onion service, an I2P router its session. */
export interface HiddenServiceState {
  readonly network: "i2p" | "onion"
  readonly isUp: boolean
}

/** The network layer as the rest of the node sees it. */
export interface NetworkService {
  readonly environment: Environment
  /** Milliseconds since 1970, as the node's clock has it. */
  readonly time: () => UnixMilliseconds
  readonly chain: P2pChain
  readonly groups: NetGroups
  /** All connections, by id, in order of arrival. */
  readonly peers: ReadonlyMap<number, Peer>
  readonly figures: PeerFigures
  readonly book: AddressBook
  readonly reputation: Reputation
  /** Puts the bans on disk, if they changed: before it is answered that they did. */
  readonly keepBans: Effect.Effect<void>
  readonly connections: Connections
  /** Seconds of a ban that says nothing else. */
  readonly banSeconds: Seconds
  /** Fibers that handle connections. */
  readonly fibers: () => number
  readonly compactBlocks: Readonly<CompactFigures>
  /** Answers about filters that were sent to all peers. */
  readonly filtersSent: () => FilterFigures
  readonly totals: { readonly received: number; readonly sent: number }
  readonly services: () => bigint
  readonly userAgent: string
  readonly protocolVersion: number
  /** Whether transactions go to and fro. */
  readonly relaysTransactions: boolean
  /** Whether this node speaks the v2 transport. */
  readonly hasV2: boolean
  readonly reach: () => ReadonlyArray<NetworkReach>
  readonly ownAddresses: () => ReadonlyArray<OwnAddress>
  /** The onion service and the session in I2P, as far as they are wanted. */
  readonly hiddenServices: () => ReadonlyArray<HiddenServiceState>
  /** The transports through which nodes are reached. */
  readonly transportNames: ReadonlyArray<TransportName>
  /** The endpoints that the node listens at, the first one first; none: it does not listen. */
  readonly listening: ReadonlyArray<Endpoint>
  /** Those that an onion service leads to. */
  readonly onionListening: ReadonlyArray<Endpoint>
  /** What clocks of outbound peers say about this machine's. */
  readonly clocks: Session["clocks"]
  /** Sends a ping to every peer. */
  readonly pingAll: () => void
  /**
   * Requests a block from a peer, whether it was announced or not. Answers why that cannot be. The block is one whose
   * header is in the header index.
   */
  readonly requestBlock: (peer: Peer, node: HeaderIndexNode) => string | undefined
  readonly uploadTarget: UploadTarget
  /** What modules refuse to have served. */
  readonly servePolicies: ServePolicies
  /** Disconnects the peers of a subnet: it was banned. */
  readonly disconnectBanned: (subnet: Subnet) => void
  /** The orphanage, in raw order of wtxids. */
  readonly orphans: () => ReadonlyArray<Orphan>
  /** Announces a transaction of the mempool to all peers that do not know it, again if need be. */
  readonly announceTransaction: (txid: Uint8Array) => void
  /** Sends own transactions through Tor and I2P; none: they go to all peers. */
  readonly privateBroadcast: PrivateBroadcast | undefined
  readonly syncStatus: () => SyncStatus
  /** Chains that others follow under this network's name. */
  readonly foreignChains: Pick<ForeignChains, "met" | "notice">
  /** Sends any payload to a peer, for tests; answers whether there is such a peer. */
  readonly sendPayload: (id: number, command: string, payload: Uint8Array) => boolean
}
