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

/** What a connection is for; the words of Bitcoin Core's `connection_type`. */
export type PeerKind =
  | "inbound"
  | "outbound-full-relay"
  | "block-relay-only"
  | "manual"
  | "feeler"
  | "addr-fetch"
  | "private-broadcast"

/** What a peer said of itself before the handshake was complete. */
export interface PeerVersion {
  /** The lower of its protocol version and ours. */
  readonly version: number
  /** What it said its protocol version is. */
  readonly ownVersion: number
  readonly services: bigint
  /** Without control characters. */
  readonly userAgent: string
  readonly startHeight: Height
  /** Whether it wants transactions at all; also set by messages about a bloom filter. */
  relay: boolean
  /** Whether it has set a bloom filter. */
  isFiltered: boolean
  /** Seconds its clock is ahead of this machine's, for reports and never used for consensus. */
  readonly timeOffset: Seconds
  /** How it sees us. */
  readonly addressSeen: Endpoint | undefined
  /** Set by messages between `version` and `verack`. */
  wtxidRelay: boolean
  wantsAddrV2: boolean
  /** Whether it understands addresses of nodes over QUIC and Iroh, where this node said that it does. */
  knowsUdpAddresses: boolean
  /** What it can do with packages, where this node said that it relays them: bits of `sendpackages`. */
  packages: bigint
}

/** Bytes and times of the traffic. Times are milliseconds since 1970; 0: never. */
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
  /** Since when a pong is awaited. */
  waitingSince: Moment | undefined
}

/**
 * A connection to another node. Each part of the network layer keeps what it knows of a peer to itself, by its id; here
 * is what concerns all of them.
 */
export interface Peer {
  /** Counts up from 0; never used twice. */
  readonly id: number
  readonly kind: PeerKind
  readonly inbound: boolean
  readonly endpoint: Endpoint
  readonly local: Endpoint | undefined
  /** The network it connects through, where its address does not show it: behind an onion service all are local. */
  readonly network: AddressKind | undefined
  /** Address and port as people write them, for logs and events. */
  readonly name: string
  /** The name the operator gave for the node to connect to. */
  readonly writtenAs: string | undefined
  readonly connectedAt: UnixMilliseconds
  /** An operator trusts its address: it is never banned, discouraged or evicted. */
  readonly isTrusted: boolean
  /** What an operator lets it do beyond others. */
  readonly permissions: PeerPermissions
  /** Once its `version` has come. */
  hello: PeerVersion | undefined
  /** Once both `verack`s have passed. */
  isReady: boolean
  /** Nothing more is sent to it, and nothing of it is processed. */
  isGone: boolean
  readonly traffic: Traffic
  /** Whether the connection is encrypted, and what both sides know it by. */
  readonly transport: Pick<PeerTransport, "kind" | "sessionId">
  readonly latency: Latency
  /** Blocks that the engine has not accepted yet: another block may follow, any other message waits for them. */
  readonly blocks: PendingWork
  /** Blocks of the initial download that the engine has not answered yet: only an answer to a ping waits for them. */
  readonly downloads: PendingWork
  /** Whether such blocks came that no ping has waited for. */
  hasDownloads: boolean
  /** Announcements to it that are due and being put in order. */
  readonly announcements: PendingWork
  /** Queues a message. Does nothing once it is gone. */
  readonly send: (message: Message) => void
  /** The same for a message whose bytes have no other owner: their memory is released as soon as they are sent. */
  readonly sendOwned: (message: Message) => void
  /** Bytes that wait to be sent: the serving of blocks waits while there are more than the budget. */
  readonly unsent: () => number
  /**
   * Whether more is served to it now: it reads what it gets, and its share of the work for untrusted inbound peers is
   * not spent.
   */
  readonly hasRoom: () => boolean
  /** Ends the connection. */
  readonly disconnect: (reason: DisconnectReason) => void
  /**
   * Misbehavior: disconnects the peer and discourages its address. A manual or trusted peer is kept, and the address of
   * this machine is not discouraged.
   */
  readonly discourage: (what: Misbehavior) => void
}

/** Whether an outbound peer counts as one that blocks come from. */
export const isForBlocks = ({ kind }: Peer): boolean =>
  kind !== "feeler" && kind !== "addr-fetch" && kind !== "private-broadcast"

/** Whether addresses and transactions are relayed with it. */
export const isFullRelay = ({ kind }: Peer): boolean =>
  kind === "inbound" || kind === "outbound-full-relay" || kind === "manual"

/** The network that a peer is connected through; none: its address is of none. */
export const connectedThrough = ({ endpoint, network }: Pick<Peer, "endpoint" | "network">): AddressKind | undefined =>
  network ?? addressKind(endpoint.address)
