import { type Milliseconds, millisecondsOf, type Moment, unixSeconds } from "../../quantities.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { type ForeignChains, foreignChains } from "../foreign-chains/foreign-chains.ts"
import type { CompactState } from "./compact-blocks/compact-state.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import { type ArrivingBlocks, arrivingBlocks } from "./blocks/arriving-blocks.ts"
import type { InFlight, PeerSync } from "./peer-sync.ts"
import { STALL_TIMEOUT } from "./sync-limits.ts"

/** Settings of `[ibd]`. Times are in milliseconds. */
export interface SyncSettings {
  /** Number of blocks requested in one message. */
  readonly blocksPerRequest: number
  /** True if blocks come from one peer only, as long as it sends them. */
  readonly fromOnePeer: boolean
  /**
   * True to wait for a slow peer as long as Bitcoin Core does. Headers come from one peer until they are recent. A
   * block stays with the peer that was asked first until it stalls the block download window or its time for a block is
   * over.
   */
  readonly isPatient?: boolean
  /** Maximum number of blocks requested from one peer at a time. */
  readonly blocksPerPeer: number
  /** Minimum time allowed for a requested block. */
  readonly downloadTimeout: Milliseconds
  /** Time without headers after which another peer is asked. */
  readonly headersTimeout: Milliseconds
  /** Number of unanswered requests for headers after which a peer is given up. */
  readonly headersFailures: number
}

/** The first sender of a block, and whether it sent it as a compact block. */
export interface BlockSender {
  readonly peer: PeerSync
  readonly isCompact: boolean
}

/** State of the sync, one for each node. Only the files of this folder change it. */
export interface SyncState {
  readonly context: P2pContext
  readonly settings: SyncSettings
  readonly compact: CompactState
  readonly peers: Map<number, PeerSync>
  /** Requests of blocks, by index in the header index; those of one block in the order in which they were made. */
  readonly inFlight: Map<number, Array<InFlight>>
  readonly arriving: ArrivingBlocks
  /** Chains that other nodes follow under this network's name. */
  readonly foreign: ForeignChains
  /** The first sender of each block without a verdict, by the key of its hash, oldest first. */
  readonly sources: Map<string, BlockSender>
  /** Number of peers that headers are being fetched from. */
  headersFrom: number
  /** Milliseconds before a peer that stalls the block download window is disconnected. */
  stallTimeout: Milliseconds
  /** Key of the last block whose announcement led to a request for headers, so that one peer is asked for each. */
  lastAnnounced: string | undefined
  /** Bytes of blocks that the engine has not answered yet. */
  waitingBytes: number
  /**
   * Consecutive refusals of the engine, and the time by the machine's clock until which no block is requested for that
   * reason.
   */
  refusals: number
  restUntil: Moment
  /** Time of the last change of the tip, or of the start. */
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

/** Returns the number of peers that blocks are requested from first. */
export const preferredCount = ({ peers }: SyncState): number => {
  let count = 0
  for (const { isPreferred } of peers.values()) if (isPreferred) count++
  return count
}

/** Returns the number of peers that blocks are awaited from. */
export const downloadingCount = ({ peers }: SyncState): number => {
  let count = 0
  for (const { inFlight } of peers.values()) if (inFlight.size > 0) count++
  return count
}

/** True if a header is so recent that only new blocks are missing. `margin` is in milliseconds. */
export const isRecent = ({ context }: SyncState, node: HeaderIndexNode, margin: Milliseconds): boolean =>
  millisecondsOf(unixSeconds(node.header.time)) > nodeClock(context)() - margin
