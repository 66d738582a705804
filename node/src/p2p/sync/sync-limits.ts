/** Numbers of the sync, as the reference implementation has them. Times are milliseconds. */

/** Blocks beyond the last one shared with a peer that may be fetched before the gap is closed. */
export const DOWNLOAD_WINDOW = 1_024
/** Blocks asked of one peer at a time until it shows that it is fast, and at most near the tip. */
export const SLOW_PEER_BLOCKS = 16
/** After this long without an answer the same peer may be asked for headers again. */
export const HEADERS_RESPONSE_TIME = 2 * 60_000
/** Where the first answer takes longer than this, headers are fetched from one more peer. */
export const FIRST_HEADERS_TIME = 2_000
/** Headers are fetched from one more peer where those who had their turn have no more, and have had none for this long. */
export const DONE_HEADERS_TIME = 30_000
/** What the peer that headers come from gets: a base, and some for each header that is missing. */
export const HEADERS_DOWNLOAD_BASE = 15 * 60_000
export const HEADERS_DOWNLOAD_PER_HEADER = 1
/** The best header is recent, and any peer may be asked for what comes next, when it is younger than this. */
export const RECENT_HEADER = 24 * 60 * 60_000
/** How long the peer that holds up the window may do so: at first, and after several of them. */
export const STALL_TIMEOUT = 2_000
export const STALL_TIMEOUT_MOST = 64_000
/** Behind by more than this many blocks, what one peer owes may be taken over by another that has nothing to do. */
export const FAR_BEHIND = 8
/** A block must be owed for this long before, */
export const OWED_LONG = 500
/** all that is owed must be expected to take longer than this, */
export const OWED_MUCH = 1_000
/** and the other peer must be this many times faster: else it is our own line that is slow. */
export const FASTER = 8
/** How much the patience with stallers shrinks again with each block that is connected. */
export const STALL_TIMEOUT_DECAY = 0.85
/** A block must come within this many block intervals, and half of one more for each other peer that blocks come from. */
export const BLOCK_TIMEOUT_BASE = 1
export const BLOCK_TIMEOUT_PER_PEER = 0.5
/** An outbound peer whose chain has less work than ours must catch up within this time, and then answer within that. */
export const CHAIN_SYNC_TIMEOUT = 20 * 60_000
export const CHAIN_SYNC_RESPONSE = 2 * 60_000
/** Outbound peers with a good chain that are kept whatever comes. */
export const PROTECTED_PEERS = 4
/** Blocks told by headers in one message; more are told by naming the newest. */
export const ANNOUNCED_HEADERS = 8
/** Nearer to the tip than this many block intervals, blocks are asked for as soon as their headers are there. */
export const DIRECT_FETCH_INTERVALS = 20
/** Blocks that a peer which keeps only the last 288 is asked for. */
export const LIMITED_PEER_BLOCKS = 288
/** Margin of the work that a chain must have to be worth storing, in blocks below the tip. */
export const WORK_MARGIN_BLOCKS = 144n
/** Blocks whose senders are remembered until they are judged. */
export const REMEMBERED_SENDERS = 4_096
/** Times that a peer may leave blocks to others before it is let go. */
export const LATE_BLOCKS = 2
/** Block intervals without a new tip after which it may be stale, and how often that is looked at. */
export const STALE_TIP_INTERVALS = 3
export const STALE_TIP_CHECK = 10 * 60_000
/** Bytes of blocks that wait for the engine, of all peers together: whoever brings more waits until its block is taken in. */
export const WAITING_BLOCK_BYTES = 8 * 1024 * 1024
/** After the engine refused a block none is asked for this long; twice as long each time, up to the second. */
export const REFUSAL_REST = 1_000
export const REFUSAL_REST_MOST = 60_000
/** Refusals one after another that make the sync fail. */
export const REFUSALS_TO_FAIL = 3
/** How long there may be nobody to fetch from, while something is missing, before the sync fails. */
export const LONELY_PATIENCE = 60_000
