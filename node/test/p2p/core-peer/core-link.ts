import type { Message, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import type { Reconstruction } from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import type { Connection } from "../../../src/p2p/transport/transport.ts"

/** A block that the model waits for; `compact`: what came of it so far, when it comes in parts. */
export interface Awaited {
  readonly node: HeaderIndexNode
  compact: Reconstruction | undefined
}

/** How a link came to be, in Bitcoin Core's words. */
export type LinkKind = "inbound" | "manual" | "outbound-full-relay" | "block-relay-only"

/** What the model keeps of one connection: `Peer` and `CNodeState` of Bitcoin Core. Times: ms; 0: never. */
export interface CoreLink {
  readonly kind: LinkKind
  readonly connection: Connection
  readonly connectedAt: number
  /** All that came and went, in order. */
  readonly received: Array<Message>
  readonly said: Array<Message>
  /** What came and was not looked at. */
  readonly inbox: Array<Message>
  isGone: boolean
  isReady: boolean
  hello: MessageOf<"version"> | undefined
  wtxidRelay: boolean
  /** How it wants to be notified of blocks. */
  prefersHeaders: boolean
  providesCompact: boolean
  wantsCompactFirst: boolean
  saidSendHeaders: boolean
  /** The chain it is known to have. */
  best: HeaderIndexNode | undefined
  unknown: Uint8Array | undefined
  common: HeaderIndexNode | undefined
  bestSent: HeaderIndexNode | undefined
  readonly announcements: Array<HeaderIndexNode>
  /** Fetching from it. */
  syncStarted: boolean
  askedForHeaders: number
  invMadeUsAsk: boolean
  readonly inFlight: Map<string, Awaited>
  downloadingSince: number
  stallingSince: number
  behindSince: number
  behindGoal: HeaderIndexNode | undefined
  behindAsked: boolean
  /** Pings. */
  pingNonce: bigint
  pingAt: number
  /** Transactions. */
  readonly known: Set<string>
  readonly waiting: Set<string>
  nextTrickle: number
  trickles: number
  feeFilter: bigint
  saidFeeFilter: bigint | undefined
  /** What it may be asked for, and was: by key of the name. */
  readonly offered: Map<string, { readonly at: number; readonly isWtxid: boolean; isAsked: boolean }>
}

export const coreLink = (kind: LinkKind, connection: Connection, now: number): CoreLink => ({
  kind,
  connection,
  connectedAt: now,
  received: [],
  said: [],
  inbox: [],
  isGone: false,
  isReady: false,
  hello: undefined,
  wtxidRelay: false,
  prefersHeaders: false,
  providesCompact: false,
  wantsCompactFirst: false,
  saidSendHeaders: false,
  best: undefined,
  unknown: undefined,
  common: undefined,
  bestSent: undefined,
  announcements: [],
  syncStarted: false,
  askedForHeaders: 0,
  invMadeUsAsk: false,
  inFlight: new Map(),
  downloadingSince: 0,
  stallingSince: 0,
  behindSince: 0,
  behindGoal: undefined,
  behindAsked: false,
  pingNonce: 0n,
  pingAt: 0,
  known: new Set(),
  waiting: new Set(),
  nextTrickle: 0,
  trickles: 0,
  feeFilter: 0n,
  saidFeeFilter: undefined,
  offered: new Map()
})

/** Commands in the order in which they came. */
export const receivedCommands = ({ received }: CoreLink): ReadonlyArray<string> =>
  received.map(({ command }) => command)
