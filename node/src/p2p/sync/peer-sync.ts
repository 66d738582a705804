import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import type { Peer } from "../peer/peer.ts"
import type { HeadersPresync } from "./presync/presync.ts"

/** A block that a peer was asked for. */
export interface InFlight {
  readonly node: TreeNode
  readonly peer: PeerSync
  readonly since: number
}

/** How an outbound peer whose chain has less work than ours is given its chance. Times: milliseconds since 1970; 0: none. */
export interface ChainSyncTrial {
  timeout: number
  /** Our tip when the trial began: what the peer's chain must reach. */
  goal: TreeNode | undefined
  askedForHeaders: boolean
  isProtected: boolean
}

/** What the sync knows of one peer. */
export interface PeerSync {
  readonly peer: Peer
  /** Whether blocks are asked of it before others: we chose it. */
  readonly isPreferred: boolean
  /** Whether it serves blocks at all, only the last ones, and with witnesses. */
  readonly servesBlocks: boolean
  readonly isLimited: boolean
  readonly servesWitnesses: boolean
  /** The block of most work that it is known to have. */
  best: TreeNode | undefined
  /** The last it announced that we do not know. */
  unknown: Uint8Array | undefined
  /** The newest block of its best chain that is ours, or on its way, too. */
  common: TreeNode | undefined
  /** The best header it knows from us. */
  bestSent: TreeNode | undefined
  /** Headers are being fetched from it, and until when it must have come to an end; Infinity: it has. */
  syncStarted: boolean
  headersDeadline: number
  /** When it was last asked for headers that have not come; 0: nothing is awaited. */
  askedForHeaders: number
  /** It has answered a request for headers since they are fetched from it. */
  hasSentHeaders: boolean
  /** It was asked for headers because it named a block, before they were fetched from it. */
  askedEarly: boolean
  /** Since when it has shown all headers it has; 0: there may be more. */
  headersDoneSince: number
  /** Requests for headers that it left without an answer. */
  headersFailures: number
  presync: HeadersPresync | undefined
  readonly inFlight: Map<number, InFlight>
  /** Since when the oldest of them is awaited. */
  downloadingSince: number
  /** Since when it alone holds up the window; 0: it does not. */
  stallingSince: number
  /** How often blocks had to be asked of others because it did not send them, and until when it is not asked again. */
  lateBlocks: number
  pausedUntil: number
  /** How many blocks it is asked for at a time. */
  capacity: number
  /** Blocks that came since the capacity was last looked at, and when that was. */
  arrived: number
  measuredSince: number
  /** Milliseconds for each block when that was last measured; Infinity: never. */
  interval: number
  /** Blocks that it owed, and that others were asked for since. */
  lost: ReadonlySet<number>
  /** Its messages wait until the engine has taken in a block of it: what it sent meanwhile is not seen. */
  isHeldUp: boolean
  /** Hashes of new blocks that it has to be told of, oldest first. */
  readonly announcements: Array<TreeNode>
  readonly trial: ChainSyncTrial
  /** Whether we asked to be told of blocks by headers. */
  askedToPreferHeaders: boolean
  /** When it was the first to tell of a block, for choosing whom to let go. */
  lastAnnouncement: number
}
