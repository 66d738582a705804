/** Limits of the sync, as Bitcoin Core has them. Times are milliseconds. */

/**
 * The block download window: blocks beyond the last common one with a peer that may be fetched before the gap is
 * closed.
 */
export const DOWNLOAD_WINDOW = 1_024
/** Blocks requested from one peer at a time until it shows that it is fast, and at most near the tip. */
export const SLOW_PEER_BLOCKS = 16
/** After this long without an answer the same peer may be asked for headers again. */
export const HEADERS_RESPONSE_TIME = 2 * 60_000
/** When the first answer takes longer than this, headers are fetched from one more peer. */
export const FIRST_HEADERS_TIME = 2_000
/** What the peer that headers come from gets: a base, and some for each header that is missing. */
export const HEADERS_DOWNLOAD_BASE = 15 * 60_000
export const HEADERS_DOWNLOAD_PER_HEADER = 1
/** The best header is recent, and any peer may be asked for what comes next, when it is younger than this. */
export const RECENT_HEADER = 24 * 60 * 60_000
/**
 * The block stalling timeout: how long a peer may stall the block download window, at first and after several of them.
 */
export const STALL_TIMEOUT = 2_000
export const STALL_TIMEOUT_MOST = 64_000
/** Behind by more than this many blocks, the blocks in flight from one peer may be requested from an idle one. */
export const FAR_BEHIND = 8
/** A block must be owed for this long before, */
export const OWED_LONG = 500
/** all that is owed must be expected to take longer than this, */
export const OWED_MUCH = 1_000
/** and the other peer must be this many times faster: else this node's own line is slow. */
export const FASTER = 8
/** With more blocks missing than this the node is not synced any longer; in its initial download, with any. */
export const MANY_MISSING = 144
/** How much the stalling timeout shrinks again with each block that is connected. */
export const STALL_TIMEOUT_DECAY = 0.85
/**
 * A block must come within this many block intervals, and half of one more for each other peer that blocks come from.
 */
export const BLOCK_TIMEOUT_BASE = 1
export const BLOCK_TIMEOUT_PER_PEER = 0.5
/**
 * An outbound peer whose chain has less work than this node's must catch up within this time, and then answer within
 * that.
 */
export const CHAIN_SYNC_TIMEOUT = 20 * 60_000
export const CHAIN_SYNC_RESPONSE = 2 * 60_000
/** Outbound peers with a good chain that are protected from eviction. */
export const PROTECTED_PEERS = 4
/** Blocks announced by headers in one message; for more, the newest is announced by `inv`. */
export const ANNOUNCED_HEADERS = 8
/** Nearer to the tip than this many block intervals, blocks are requested as soon as their headers are there. */
export const DIRECT_FETCH_INTERVALS = 20
/** Blocks that are requested from a peer which keeps only the last 288. */
export const LIMITED_PEER_BLOCKS = 288
/** Margin of the work that a chain must have to be worth storing, in blocks below the tip. */
export const WORK_MARGIN_BLOCKS = 144n
/** Blocks whose senders are remembered until they are judged. */
export const REMEMBERED_SENDERS = 4_096
/** Times that a peer may leave blocks to others before it is disconnected. */
export const LATE_BLOCKS = 2
/** Stale tip: block intervals without a new tip after which it may be stale, and how often that is checked. */
export const STALE_TIP_INTERVALS = 3
export const STALE_TIP_CHECK = 10 * 60_000
/**
 * Bytes of blocks queued for the engine, of all peers together: beyond it, a peer waits until its block is accepted.
 */
export const WAITING_BLOCK_BYTES = 8 * 1024 * 1024
/** After the engine refused a block none is asked for this long; twice as long each time, up to the second. */
export const REFUSAL_REST = 1_000
export const REFUSAL_REST_MOST = 60_000
/** Refusals one after another that make the sync fail. */
export const REFUSALS_TO_FAIL = 3
/** How long there may be no peer to fetch from, while something is missing, before the sync fails. */
export const LONELY_PATIENCE = 60_000
