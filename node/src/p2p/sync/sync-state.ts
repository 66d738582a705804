import { type Milliseconds, millisecondsOf, type Moment, unixSeconds } from "../../quantities.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { type ForeignChains, foreignChains } from "../foreign-chains/foreign-chains.ts"
import type { CompactState } from "./compact-blocks/compact-state.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import { type ArrivingBlocks, arrivingBlocks } from "./blocks/arriving-blocks.ts"
import type { InFlight, PeerSync } from "./peer-sync.ts"
import { STALL_TIMEOUT } from "./sync-limits.ts"

/** What `[ibd]` sets. Times in milliseconds. */
export interface SyncSettings {
  /** Blocks requested in one message. */
  readonly blocksPerRequest: number
  /** Blocks come from one peer alone as long as it sends them. */
  readonly fromOnePeer: boolean
  /**
   * Waits for a slow peer as long as Bitcoin Core does. Headers come from one peer until they are recent. A block stays
   * with the peer that was asked first until it stalls the block download window or its time for a block is over.
   */
  readonly isPatient?: boolean
  /** Most blocks requested from one peer at a time. */
  readonly blocksPerPeer: number
  /** Least time in which a requested block must come. */
  readonly downloadTimeout: Milliseconds
  /** After this long without headers another peer is asked. */
  readonly headersTimeout: Milliseconds
  /** Requests for headers that a peer may leave without an answer. */
  readonly headersFailures: number
}

/** The first sender of a block, and whether it sent it as a compact block. */
export interface BlockSender {
  readonly peer: PeerSync
  readonly isCompact: boolean
}

/** What the sync knows. One value for a node; changed in place by the files of this folder alone. */
export interface SyncState {
  readonly context: P2pContext
  readonly settings: SyncSettings
  readonly compact: CompactState
  readonly peers: Map<number, PeerSync>
  /** Requests of blocks, by index in the header index, those of one block in the order in which they were made. */
  readonly inFlight: Map<number, Array<InFlight>>
  readonly arriving: ArrivingBlocks
  /** Chains that others follow under this network's name. */
  readonly foreign: ForeignChains
  /** The first sender of each block that is not judged yet, by key of its hash, oldest first. */
  readonly sources: Map<string, BlockSender>
  /** How many peers headers are being fetched from. */
  headersFrom: number
  /** Milliseconds before a peer that stalls the block download window is disconnected. */
  stallTimeout: Milliseconds
  /** The last block whose announcement led to a request for headers: one peer for each. */
  lastAnnounced: string | undefined
  /** Bytes of blocks that the engine has not answered yet. */
  waitingBytes: number
  /**
   * How often in a row the engine accepted no block, and until when, by the machine's clock, none is requested because
   * of that.
   */
  refusals: number
  restUntil: Moment
  /** When the tip last changed, or the node started. */
  tipSince: Moment
}

export const syncState = (
  context: P2pContext,
  settings: SyncSettings,
  compact: CompactState
): SyncState => ({
  context,
  settings,
  compact,
  peers: new Map(),
  inFlight: new Map(),
  arriving: arrivingBlocks(),
  foreign: foreignChains(context),
  sources: new Map(),
  headersFrom: 0,
  stallTimeout: STALL_TIMEOUT,
  lastAnnounced: undefined,
  waitingBytes: 0,
  refusals: 0,
  restUntil: 0,
  tipSince: context.environment.now()
})

/** Peers that blocks are requested from first. */
export const preferredCount = ({ peers }: SyncState): number => {
  let count = 0
  for (const { isPreferred } of peers.values()) if (isPreferred) count++
  return count
}

/** Peers that blocks are awaited from. */
export const downloadingCount = ({ peers }: SyncState): number => {
  let count = 0
  for (const { inFlight } of peers.values()) if (inFlight.size > 0) count++
  return count
}

/** Whether a header is young enough that nothing but new blocks is missing. `margin` in milliseconds. */
export const isRecent = ({ context }: SyncState, node: HeaderIndexNode, margin: Milliseconds): boolean =>
  millisecondsOf(unixSeconds(node.header.time)) > nodeClock(context)() - margin
