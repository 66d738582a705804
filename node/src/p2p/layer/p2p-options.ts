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
  /** Whether connections are made to them without being asked. */
  readonly isAutomatic: boolean
  /** Where this node advertises itself over QUIC and Iroh, from where it listens and its addresses. */
  readonly own: (listening: ReadonlyArray<Endpoint>, own: ReadonlyArray<Endpoint>) => ReadonlyArray<Endpoint>
}

/** What a network layer is put together from. */
export interface P2pOptions extends Omit<P2pContext, "peers" | "services"> {
  readonly transport: Transport
  /** Dials the peers that own transactions are sent to; none: own transactions go to all peers. */
  readonly privateTransport?: Transport | undefined
  /** Kinds of addresses that the transport reaches. */
  readonly reachable: ReadonlySet<AddressKind>
  readonly resolve: Resolve
  /** Whether the proxy resolves names: this node then makes no name lookups. */
  readonly namesToProxy?: boolean
  /** Whether an operator trusts the peer at this address. */
  readonly trusts?: (address: NetworkAddress) => boolean
  /** What an operator lets the peer of a connection do; none: nothing beyond others. */
  readonly permits?: (place: ConnectionPlace) => PeerPermissions
  /** How much of a peer's traffic may wait; none: as much as in Bitcoin Core. */
  readonly buffers?: PeerBuffers | undefined
  /** Milliseconds for a handshake, before which no silence counts either; none: those of Bitcoin Core. */
  readonly peerTimeout?: Milliseconds | undefined
  /** Seconds of a ban that says nothing else; none: those of Bitcoin Core. */
  readonly banSeconds?: Seconds | undefined
  /** Whether there are connections from the start on; none: there are. */
  readonly isActive?: boolean | undefined
  /** Whether names of nodes to connect to are looked up; none: they are. */
  readonly looksUpNames?: boolean | undefined
  readonly seeding: Seeding
  readonly slots: Slots
  /** Whether the node fills its outbound slots by itself; none: it does. */
  readonly isAutomatic?: boolean
  /** Nodes to stay connected to, as they were written. */
  readonly persistent: ReadonlyArray<string>
  readonly saved: SavedNetwork
  /** Puts bans on disk; none: they are kept nowhere. */
  readonly keepBans?: (bans: BanList) => Effect.Effect<void>
  readonly download: SyncSettings
  readonly userAgent: string
  /** Whether transactions of others are wanted. */
  readonly wantsTransactions: boolean
  /** Whether transactions need not be standard; none: they have to be. */
  readonly takesNonStandard?: boolean
  /** How transactions begin on a stem; none: they are announced as they come. */
  readonly dandelion?: DandelionSettings | undefined
  /** Whether packages are relayed (BIP331); none: they are not. */
  readonly relaysPackages?: boolean | undefined
  /** Whether the node agrees to reconcile transactions (BIP330); none: it does not. */
  readonly reconciles?: boolean | undefined
  /** Satoshi per 1,000 virtual bytes below which nothing is relayed. */
  readonly minRelayFee: Sats
  /** Whether peers are served block filters, which needs their index; none: they are not. */
  readonly servesBlockFilters?: boolean
  /** Whether all peers may set bloom filters; none: only those that an operator permits to. */
  readonly servesBloomFilters?: boolean
  /** Bytes that are sent in a day at most; 0: any. */
  readonly uploadTarget: number
  /** Where others may connect to; none: nowhere. */
  readonly listen: Endpoint | undefined
  /** Where else. */
  readonly alsoListen?: ReadonlyArray<Endpoint>
  /** Where else, if it can be had. */
  readonly mayListen?: ReadonlyArray<Endpoint>
  /** Where an onion service leads: peers that connect there are in the network of Tor. */
  readonly onionListen?: ReadonlyArray<Endpoint>
  /** Whether it is a failure when that cannot be had; else the node only logs it. */
  readonly mustListen: boolean
  /** This node's own addresses, the likeliest first, from what peers see and where it listens. */
  readonly ownAddresses: (peers: Iterable<Peer>, listening: ReadonlyArray<Endpoint>) => ReadonlyArray<OwnAddress>
  /** Which of its own addresses this node advertises to a peer, if any. */
  readonly advertised: (own: ReadonlyArray<OwnAddress>, peer: Peer) => Endpoint | undefined
  /** The transports that the node uses; none: TCP alone. */
  readonly transportNames?: ReadonlyArray<TransportName>
  /** Nodes over QUIC and Iroh, and what is said and done about them; none: the node has neither. */
  readonly udp?: UdpOptions | undefined
  readonly reach: () => ReadonlyArray<NetworkReach>
  /** The onion service and the session in I2P, as far as they are wanted; none: neither is. */
  readonly hiddenServices?: () => ReadonlyArray<HiddenServiceState>
  /** Whether there is a subscriber to events about single messages. */
  readonly messagesHaveSubscribers: () => boolean
  /** Keeps every message; none: messages are not kept. */
  readonly capture?: CaptureMessage | undefined
}
