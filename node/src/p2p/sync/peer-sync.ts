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
  /** It is being put together from a compact block; or that is over, and has failed where the request is still there. */
  compact: PartialBlock | "over" | undefined
}

/**
 * Core's chain sync timeout of an outbound peer whose chain has less work than this node's. Times: milliseconds since
 * 1970; 0: none.
 */
export interface ChainSyncTimeout {
  timeout: Moment
  /** The tip when the timeout began: what the peer's chain must reach. */
  goal: HeaderIndexNode | undefined
  askedForHeaders: boolean
  isProtected: boolean
}

/** What the sync knows of one peer. */
export interface PeerSync {
  readonly peer: Peer
  /** Whether blocks are requested from it before others (Core: `fPreferredDownload`). */
  readonly isPreferred: boolean
  /** Whether it serves blocks at all, only the last ones, and with witnesses. */
  readonly servesBlocks: boolean
  readonly isLimited: boolean
  readonly servesWitnesses: boolean
  /** The block of most work that it is known to have. */
  best: HeaderIndexNode | undefined
  /** The last block it announced whose header is unknown. */
  unknown: Uint8Array | undefined
  /** The newest block of its best chain that is here, or in flight, too. */
  common: HeaderIndexNode | undefined
  /** The best header that was sent to it. */
  bestSent: HeaderIndexNode | undefined
  /** Headers are being fetched from it, and until when it must have come to an end; Infinity: it has. */
  syncStarted: boolean
  headersDeadline: Moment
  /** When it was last asked for headers that have not come; 0: nothing is awaited. */
  askedForHeaders: Moment
  /** It has answered a request for headers since they are fetched from it. */
  hasSentHeaders: boolean
  /** It was asked for headers because it announced a block, before they were fetched from it. */
  askedEarly: boolean
  /** Since when it has shown all headers it has; 0: there may be more. */
  headersDoneSince: Moment
  /** Requests for headers that it left without an answer. */
  headersFailures: number
  presync: HeadersPresync | undefined
  readonly inFlight: Map<number, InFlight>
  /** Since when the oldest of the blocks in flight is awaited. */
  downloadingSince: Moment
  /** Since when it alone stalls the block download window; 0: it does not. */
  stallingSince: Moment
  /**
   * How often its blocks had to be requested from others because it did not send them, and until when it is not asked
   * again.
   */
  lateBlocks: number
  pausedUntil: Moment
  /** How many blocks may be in flight from it at a time. */
  capacity: number
  /** Blocks that came since the capacity was last adjusted, and when that was. */
  arrived: number
  measuredSince: Moment
  /** Milliseconds for each block when that was last measured; Infinity: never. */
  interval: Milliseconds
  /** Blocks that were in flight from it, and that were requested from others since. */
  lost: ReadonlySet<number>
  /** Its messages wait until the engine has accepted its blocks: what it sent meanwhile may be unseen. */
  isHeldUp: boolean
  /** How many these blocks are. */
  heldUpBy: number
  /** Hashes of new blocks to announce to it, oldest first. */
  readonly announcements: Array<HeaderIndexNode>
  readonly chainSync: ChainSyncTimeout
  /** Whether this node asked it to announce blocks by headers (`sendheaders`). */
  askedToPreferHeaders: boolean
  /** Whether this node asked it to announce blocks as compact blocks: it is in high-bandwidth mode. */
  isHighBandwidth: boolean
  readonly compactBlocks: PeerCompactFigures
  /** When it was the first to announce a block, for choosing which extra peer to evict. */
  lastAnnouncement: Moment
}
