import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { Height } from "@lockstep/kernel/quantities"
import type { Milliseconds, Moment, Seconds, UnixMilliseconds } from "../../quantities.ts"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import type { PeerPermissions } from "../../net/peer-permissions.ts"
import type { PeerTransport } from "@lockstep/protocol/wire/peer-transport.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { DisconnectReason } from "../../runtime/disconnect-reason.ts"
import type { Misbehavior } from "../../runtime/misbehavior.ts"
import type { PendingWork } from "./pending-work.ts"

/** Types of connections, in the words of Bitcoin Core's `connection_type`. */
export type PeerKind =
  | "inbound"
  | "outbound-full-relay"
  | "block-relay-only"
  | "manual"
  | "feeler"
  | "addr-fetch"
  | "private-broadcast"

/** The peer's data from before the handshake was complete. */
export interface PeerVersion {
  /** The lower of its protocol version and ours (the negotiated one). */
  readonly version: number
  /** The protocol version that it sent. */
  readonly ownVersion: number
  readonly services: bigint
  /** User agent without control characters. */
  readonly userAgent: string
  readonly startHeight: Height
  /** True if it wants transactions; also set by messages about a Bloom filter. */
  relay: boolean
  /** True if it has set a Bloom filter. */
  isFiltered: boolean
  /** Seconds by which its clock is ahead of this machine's. Only reported, never used for consensus. */
  readonly timeOffset: Seconds
  /** This node's address as the peer sees it. */
  readonly addressSeen: Endpoint | undefined
  /** Negotiated by messages between `version` and `verack`. */
  wtxidRelay: boolean
  wantsAddrV2: boolean
  /** True if it understands addresses of nodes over QUIC and Iroh, and this node announced the same. */
  knowsUdpAddresses: boolean
  /** Bits of its `sendpackages`, if this node announced that it relays packages. */
  packages: bigint
}

/** Bytes and times of the traffic. Times are milliseconds since 1970; 0 means never. */
export interface Traffic {
  bytesSent: number
  bytesReceived: number
  lastSend: UnixMilliseconds
  lastReceive: UnixMilliseconds
  lastBlock: UnixMilliseconds
  lastTransaction: UnixMilliseconds
  readonly sentPerCommand: Map<string, number>
  readonly receivedPerCommand: Map<string, number>
}

/** Ping times in milliseconds. */
export interface Latency {
  last: Milliseconds | undefined
  least: Milliseconds | undefined
  /** Time since which a pong is awaited. */
  waitingSince: Moment | undefined
}

/**
 * A connection to another node. Each part of the network layer keeps its own state of a peer by its id. This is the
 * state that concerns all parts.
 */
export interface Peer {
  /** Counts up from 0 and is never reused. */
  readonly id: number
  readonly kind: PeerKind
  readonly inbound: boolean
  readonly endpoint: Endpoint
  readonly local: Endpoint | undefined
  /**
   * The network it connects through, if its address does not show it: behind an onion service all addresses are local.
   */
  readonly network: AddressKind | undefined
  /** Address and port as text, for logs and events. */
  readonly name: string
  /** The node to connect to, as the operator wrote it. */
  readonly writtenAs: string | undefined
  readonly connectedAt: UnixMilliseconds
  /** True if an operator trusts its address: it is never banned, discouraged or evicted. */
  readonly isTrusted: boolean
  /** Permissions that an operator granted it. */
  readonly permissions: PeerPermissions
  /** Set once its `version` has arrived. */
  hello: PeerVersion | undefined
  /** True once both `verack`s were exchanged. */
  isReady: boolean
  /** True once disconnected: nothing more is sent to it, and nothing from it is processed. */
  isGone: boolean
  readonly traffic: Traffic
  /** Kind of transport, and the session id of an encrypted one. */
  readonly transport: Pick<PeerTransport, "kind" | "sessionId">
  readonly latency: Latency
  /** Blocks that the engine has not accepted yet. Another block may follow; all other messages wait for them. */
  readonly blocks: PendingWork
  /** Blocks of the initial download that the engine has not answered yet. Only the answer to a ping waits for them. */
  readonly downloads: PendingWork
  /** True if such blocks arrived after the last ping that waited for them. */
  hasDownloads: boolean
  /** Announcements to it that are due and being sorted. */
  readonly announcements: PendingWork
  /** Queues a message. Does nothing once the peer is gone. */
  readonly send: (message: Message) => void
  /** The same for a message whose bytes have no other owner; their memory is released once they are sent. */
  readonly sendOwned: (message: Message) => void
  /** Returns the number of unsent bytes. Serving pauses while they exceed the limit. */
  readonly unsent: () => number
  /**
   * True if more can be served to it now: it reads its answers, and its share of the work for untrusted inbound peers
   * is not spent.
   */
  readonly hasRoom: () => boolean
  /** Ends the connection. */
  readonly disconnect: (reason: DisconnectReason) => void
  /**
   * Punishes misbehavior: disconnects the peer and discourages its address. A manual or trusted peer is kept, and local
   * addresses are not discouraged.
   */
  readonly discourage: (what: Misbehavior) => void
}

/** True if the kind of connection counts as a source of blocks. */
export const isForBlocks = ({ kind }: Peer): boolean =>
  kind !== "feeler" && kind !== "addr-fetch" && kind !== "private-broadcast"

/** True if addresses and transactions are relayed with it. */
export const isFullRelay = ({ kind }: Peer): boolean =>
  kind === "inbound" || kind === "outbound-full-relay" || kind === "manual"

/** Returns the network that a peer is connected through, or `undefined` if its address belongs to none. */
export const connectedThrough = ({ endpoint, network }: Pick<Peer, "endpoint" | "network">): AddressKind | undefined =>
  network ?? addressKind(endpoint.address)
