/** Limits of the sync, as Bitcoin Core has them. Times are milliseconds. */

/**
 * The block download window: blocks beyond the last common one with a peer that may be fetched before the gap is
 * closed.
 */
export const DOWNLOAD_WINDOW = 1_024
/** Blocks requested from one peer at a time until it proves fast, and at most near the tip. */
export const SLOW_PEER_BLOCKS = 16
/** Time without an answer after which the same peer may be asked for headers again. */
export const HEADERS_RESPONSE_TIME = 2 * 60_000
/** Time without a first answer after which headers are fetched from one more peer. */
export const FIRST_HEADERS_TIME = 2_000
/** Time for the peer that headers are fetched from: a base, and an addition for each missing header. */
export const HEADERS_DOWNLOAD_BASE = 15 * 60_000
export const HEADERS_DOWNLOAD_PER_HEADER = 1
/** Age below which the best header is recent, so that any peer may be asked for the next ones. */
export const RECENT_HEADER = 24 * 60 * 60_000
/**
 * The block stalling timeout: how long a peer may stall the block download window, initially and after several stalls.
 */
export const STALL_TIMEOUT = 2_000
export const STALL_TIMEOUT_MOST = 64_000
/** Blocks behind the best header above which the blocks in flight from one peer may be requested from an idle one. */
export const FAR_BEHIND = 8
/** Minimum time for which a block must be owed before that. */
export const OWED_LONG = 500
/** Minimum expected time for everything that is owed. */
export const OWED_MUCH = 1_000
/** Factor by which the other peer must be faster; otherwise this node's own connection is slow. */
export const FASTER = 8
/** Number of missing blocks above which the node is no longer synced. In its initial download, one is enough. */
export const MANY_MISSING = 144
/** Factor by which the stalling timeout shrinks again with each connected block. */
export const STALL_TIMEOUT_DECAY = 0.85
/**
 * Block intervals within which a block must arrive, with an addition for each other peer that blocks are fetched from.
 */
export const BLOCK_TIMEOUT_BASE = 1
export const BLOCK_TIMEOUT_PER_PEER = 0.5
/** Time for an outbound peer whose chain has less work than this node's to catch up, and then to answer. */
export const CHAIN_SYNC_TIMEOUT = 20 * 60_000
export const CHAIN_SYNC_RESPONSE = 2 * 60_000
/** Maximum number of outbound peers with a good chain that are protected from eviction. */
export const PROTECTED_PEERS = 4
/** Maximum number of blocks announced by headers in one message. With more, the newest is announced by `inv`. */
export const ANNOUNCED_HEADERS = 8
/**
 * Block intervals from the present within which the tip is near enough to request blocks as soon as their headers
 * arrive.
 */
export const DIRECT_FETCH_INTERVALS = 20
/** Number of last blocks that are requested from a peer which keeps only these. */
export const LIMITED_PEER_BLOCKS = 288
/** Blocks below the tip whose work is the margin of a chain that is worth storing. */
export const WORK_MARGIN_BLOCKS = 144n
/** Maximum number of blocks whose senders are remembered until the verdict. */
export const REMEMBERED_SENDERS = 4_096
/** Number of times that a peer may leave blocks to others before it is disconnected. */
export const LATE_BLOCKS = 2
/** Stale tip: block intervals without a new tip after which it may be stale, and the interval of checks. */
export const STALE_TIP_INTERVALS = 3
export const STALE_TIP_CHECK = 10 * 60_000
/**
 * Bytes of blocks queued for the engine, from all peers together, above which a peer waits until its block is accepted.
 */
export const WAITING_BLOCK_BYTES = 8 * 1024 * 1024
/** Time without requests after the engine refused a block. It doubles with each refusal, up to the second value. */
export const REFUSAL_REST = 1_000
export const REFUSAL_REST_MOST = 60_000
/** Consecutive refusals that make the sync fail. */
export const REFUSALS_TO_FAIL = 3
/** Time without a peer to fetch from, while something is missing, after which the sync fails. */
export const LONELY_PATIENCE = 60_000
