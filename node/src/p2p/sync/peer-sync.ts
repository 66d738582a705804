import type { Milliseconds, Moment } from "../../quantities.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { PartialBlock } from "./compact-blocks/partial-block.ts"
import type { PeerCompactFigures } from "./compact-blocks/compact-figures.ts"
import type { Peer } from "../peer/peer.ts"
import type { HeadersPresync } from "./presync/presync.ts"

/** A block in flight from a peer. */
export interface InFlight {
  readonly node: HeaderIndexNode
  readonly peer: PeerSync
  readonly since: Moment
  /** The reconstruction from a compact block; `over` once it has ended, which means failed while the request exists. */
  compact: PartialBlock | "over" | undefined
}

/**
 * Core's chain sync timeout of an outbound peer whose chain has less work than this node's. Times are milliseconds
 * since 1970; 0 means unset.
 */
export interface ChainSyncTimeout {
  timeout: Moment
  /** The tip when the timeout began, which the peer's chain must reach. */
  goal: HeaderIndexNode | undefined
  askedForHeaders: boolean
  isProtected: boolean
}

/** The sync's state of one peer. */
export interface PeerSync {
  readonly peer: Peer
  /** True if blocks are requested from it before others (Core: `fPreferredDownload`). */
  readonly isPreferred: boolean
  /** True if it serves blocks; only the last ones; and with witnesses. */
  readonly servesBlocks: boolean
  readonly isLimited: boolean
  readonly servesWitnesses: boolean
  /** The block with the most work that it is known to have. */
  best: HeaderIndexNode | undefined
  /** Hash of the last block it announced whose header is unknown. */
  unknown: Uint8Array | undefined
  /** The newest block of its best chain that is also stored here, or in flight. */
  common: HeaderIndexNode | undefined
  /** The best header that this node sent to it. */
  bestSent: HeaderIndexNode | undefined
  /** True while headers are fetched from it, and the time by which that must be done; Infinity once it is. */
  syncStarted: boolean
  headersDeadline: Moment
  /** Time at which it was last asked for headers that have not arrived; 0 if none are awaited. */
  askedForHeaders: Moment
  /** True if it has answered a request for headers since the fetch began. */
  hasSentHeaders: boolean
  /** True if it was asked for headers because of a block announcement, before headers were fetched from it. */
  askedEarly: boolean
  /** Time since which it has sent all its headers; 0 if it may have more. */
  headersDoneSince: Moment
  /** Number of requests for headers that it left unanswered. */
  headersFailures: number
  presync: HeadersPresync | undefined
  readonly inFlight: Map<number, InFlight>
  /** Time since which the oldest of the blocks in flight is awaited. */
  downloadingSince: Moment
  /** Time since which it alone stalls the block download window; 0 if it does not. */
  stallingSince: Moment
  /** Number of times its blocks were requested from others because it did not send them, and the end of its pause. */
  lateBlocks: number
  pausedUntil: Moment
  /** Maximum number of blocks in flight from it. */
  capacity: number
  /** Number of blocks that arrived since the capacity was last adjusted, and the time of that. */
  arrived: number
  measuredSince: Moment
  /** Milliseconds for each block when last measured; Infinity if never. */
  interval: Milliseconds
  /** Indexes of blocks that were in flight from it and were since requested from others. */
  lost: ReadonlySet<number>
  /** True while its messages wait until the engine has accepted its blocks; it may have sent more meanwhile. */
  isHeldUp: boolean
  /** Number of these blocks. */
  heldUpBy: number
  /** New blocks to announce to it, oldest first. */
  readonly announcements: Array<HeaderIndexNode>
  readonly chainSync: ChainSyncTimeout
  /** True if this node asked it to announce blocks by headers (`sendheaders`). */
  askedToPreferHeaders: boolean
  /** True if this node asked it to announce blocks as compact blocks (high-bandwidth mode). */
  isHighBandwidth: boolean
  readonly compactBlocks: PeerCompactFigures
  /** Time at which it last was the first to announce a block, for extra peer eviction. */
  lastAnnouncement: Moment
}
