import type { Command, Message } from "@lockstep/protocol/wire/codecs.ts"
import type { Endpoint } from "../transport/transport.ts"

/** What a connection is for; the words of the reference implementation's `connection_type`. */
export type PeerKind = "inbound" | "outbound-full-relay" | "block-relay-only" | "manual" | "feeler" | "addr-fetch"

/** What a peer said of itself before the handshake was complete. */
export interface Hello {
  /** The lower of its protocol version and ours. */
  readonly version: number
  /** What it said its protocol version is. */
  readonly ownVersion: number
  readonly services: bigint
  /** Without control characters. */
  readonly userAgent: string
  readonly startHeight: number
  /** Whether it wants transactions at all. */
  readonly relay: boolean
  /** Seconds its clock is ahead of ours, told and never used for consensus. */
  readonly timeOffset: number
  /** How it sees us. */
  readonly addressSeen: Endpoint | undefined
  /** Set by messages between `version` and `verack`. */
  wtxidRelay: boolean
  wantsAddrV2: boolean
}

/** What went to and fro. Times are milliseconds since 1970; 0: never. */
export interface Traffic {
  bytesSent: number
  bytesReceived: number
  lastSend: number
  lastReceive: number
  lastBlock: number
  lastTransaction: number
  readonly sentPerCommand: Map<string, number>
  readonly receivedPerCommand: Map<string, number>
}

/** Ping times in milliseconds. */
export interface Latency {
  last: number | undefined
  least: number | undefined
  /** Since when a pong is awaited. */
  waitingSince: number | undefined
}

/**
 * A connection to another node. Each part of the network layer keeps what it knows of a peer to itself, by its id; here is
 * what concerns all of them.
 */
export interface Peer {
  /** Counts up from 0; never used twice. */
  readonly id: number
  readonly kind: PeerKind
  readonly inbound: boolean
  readonly endpoint: Endpoint
  readonly local: Endpoint | undefined
  /** Address and port as people write them, for logs and events. */
  readonly name: string
  /** How the operator named it who wanted the connection. */
  readonly writtenAs: string | undefined
  readonly connectedAt: number
  /** An operator trusts its address: it is never banned, discouraged, or let go to make room. */
  readonly isTrusted: boolean
  /** Once its `version` has come. */
  hello: Hello | undefined
  /** Once both `verack`s have passed. */
  isReady: boolean
  /** Nothing more goes to it, and nothing of it is looked at. */
  isGone: boolean
  readonly traffic: Traffic
  readonly latency: Latency
  /** Queues a message. Does nothing once it is gone. */
  readonly send: (message: Message) => void
  /** The same for a message whose bytes nobody else has: their memory is given back as soon as they are gone. */
  readonly give: (message: Message) => void
  /** Bytes that wait to be sent: whoever serves much waits while there are more than the budget. */
  readonly unsent: () => number
  /** Whether more is done for it now: it reads what it gets, and has not had its share of what this node does for strangers. */
  readonly hasRoom: () => boolean
  /** Ends the connection. */
  readonly disconnect: (reason: string) => void
  /**
   * It did what no honest node does: ends the connection, and its address is not welcome for a while. A manual peer and a
   * trusted one are kept, and one on this machine is not discouraged.
   */
  readonly discourage: (reason: string) => void
}

/** Whether an outbound peer counts as one that blocks come from. */
export const isForBlocks = ({ kind }: Peer): boolean => kind !== "feeler" && kind !== "addr-fetch"

/** Whether addresses and transactions go to and fro with it. */
export const isFullRelay = ({ kind }: Peer): boolean => kind === "inbound" || kind === "outbound-full-relay" || kind === "manual"

/** Commands and messages, for whoever handles them. */
export type { Command, Message }
