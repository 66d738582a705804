import type { PeerBuffers } from "../peer/peer-buffers.ts"
import type { Sats } from "@lockstep/kernel/quantities"
import type { Milliseconds, Seconds } from "../../quantities.ts"
import type { ConnectionPlace, PeerPermissions } from "../../net/peer-permissions.ts"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type * as Effect from "effect/Effect"
import type { Endpoint, TransportName } from "../../net/endpoint.ts"
import type { BanList } from "../connections/ban-list.ts"
import type { Resolve } from "../connections/find-endpoints.ts"
import type { Seeding } from "../connections/seeds.ts"
import type { Slots } from "../connections/slots.ts"
import type { DandelionSettings } from "../relay/dandelion/stem-relay.ts"
import type { UdpBook } from "../addresses/udp/udp-book.ts"
import type { OwnAddress } from "../addresses/own-address.ts"
import type { HiddenServiceState, NetworkReach } from "./network.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { CaptureMessage } from "../peer/message-capture.ts"
import type { Peer } from "../peer/peer.ts"
import type { SavedNetwork } from "../saved/saved-network.ts"
import type { SyncSettings } from "../sync/sync-state.ts"
import type { Transport } from "../transport/transport.ts"

/** Nodes over QUIC and Iroh. */
export interface UdpOptions {
  readonly book: UdpBook
  /** True if the node connects to them automatically. */
  readonly isAutomatic: boolean
  /** Returns the endpoints to advertise over QUIC and Iroh, from the listening endpoints and own addresses. */
  readonly own: (listening: ReadonlyArray<Endpoint>, own: ReadonlyArray<Endpoint>) => ReadonlyArray<Endpoint>
}

/** Everything that a network layer is assembled from. */
export interface P2pOptions extends Omit<P2pContext, "peers" | "services"> {
  readonly transport: Transport
  /** Dials the peers that own transactions are sent to; absent if own transactions go to all peers. */
  readonly privateTransport?: Transport | undefined
  /** Kinds of addresses that the transport reaches. */
  readonly reachable: ReadonlySet<AddressKind>
  readonly resolve: Resolve
  /** True if the proxy resolves names; this node then makes no name lookups. */
  readonly namesToProxy?: boolean
  /** Reports whether an operator trusts the peer at this address. */
  readonly trusts?: (address: NetworkAddress) => boolean
  /** Returns the permissions that an operator grants the peer of a connection; none by default. */
  readonly permits?: (place: ConnectionPlace) => PeerPermissions
  /** Limits of the send and receive buffers of a peer; Bitcoin Core's by default. */
  readonly buffers?: PeerBuffers | undefined
  /** Milliseconds for a handshake, before which silence does not count either; Bitcoin Core's by default. */
  readonly peerTimeout?: Milliseconds | undefined
  /** Default duration of a ban, in seconds; Bitcoin Core's by default. */
  readonly banSeconds?: Seconds | undefined
  /** True if connections are made from the start; the default. */
  readonly isActive?: boolean | undefined
  /** True if names of nodes to connect to are looked up; the default. */
  readonly looksUpNames?: boolean | undefined
  readonly seeding: Seeding
  readonly slots: Slots
  /** True if the node fills its outbound slots automatically; the default. */
  readonly isAutomatic?: boolean
  /** Nodes to stay connected to, as the operator wrote them. */
  readonly persistent: ReadonlyArray<string>
  readonly saved: SavedNetwork
  /** Saves bans; absent if they are not saved. */
  readonly keepBans?: (bans: BanList) => Effect.Effect<void>
  readonly download: SyncSettings
  readonly userAgent: string
  /** True if transactions of peers are wanted. */
  readonly wantsTransactions: boolean
  /** True if nonstandard transactions are accepted; the default is false. */
  readonly takesNonStandard?: boolean
  /** Settings of the stem phase of transactions; absent if they are announced at once. */
  readonly dandelion?: DandelionSettings | undefined
  /** True if packages are relayed (BIP331); the default is false. */
  readonly relaysPackages?: boolean | undefined
  /** True if the node negotiates transaction reconciliation (BIP330); the default is false. */
  readonly reconciles?: boolean | undefined
  /** Minimum relay feerate, in satoshis per 1,000 virtual bytes. */
  readonly minRelayFee: Sats
  /** True if block filters are served, which needs their index; the default is false. */
  readonly servesBlockFilters?: boolean
  /** True if all peers may set Bloom filters; by default only those with the permission. */
  readonly servesBloomFilters?: boolean
  /** Maximum number of bytes sent in a day; 0 for no limit. */
  readonly uploadTarget: number
  /** Primary listening endpoint; `undefined` if the node does not listen. */
  readonly listen: Endpoint | undefined
  /** Further listening endpoints. */
  readonly alsoListen?: ReadonlyArray<Endpoint>
  /** Further listening endpoints that are skipped if they cannot be bound. */
  readonly mayListen?: ReadonlyArray<Endpoint>
  /** Endpoints that an onion service forwards to. Peers that connect to them are in the network of Tor. */
  readonly onionListen?: ReadonlyArray<Endpoint>
  /** True if it is an error that these endpoints cannot be bound; otherwise the node only logs it. */
  readonly mustListen: boolean
  /** Returns this node's own addresses, the likeliest first, from what peers see and where it listens. */
  readonly ownAddresses: (peers: Iterable<Peer>, listening: ReadonlyArray<Endpoint>) => ReadonlyArray<OwnAddress>
  /** Returns the own address that this node advertises to a peer, if any. */
  readonly advertised: (own: ReadonlyArray<OwnAddress>, peer: Peer) => Endpoint | undefined
  /** The transports in use; only TCP by default. */
  readonly transportNames?: ReadonlyArray<TransportName>
  /** Options of nodes over QUIC and Iroh; absent if the node has neither transport. */
  readonly udp?: UdpOptions | undefined
  readonly reach: () => ReadonlyArray<NetworkReach>
  /** Returns the state of the onion service and the I2P session; absent if neither is wanted. */
  readonly hiddenServices?: () => ReadonlyArray<HiddenServiceState>
  /** True if events about single messages have a subscriber. */
  readonly messagesHaveSubscribers: () => boolean
  /** Captures every message; absent if messages are not captured. */
  readonly capture?: CaptureMessage | undefined
}
