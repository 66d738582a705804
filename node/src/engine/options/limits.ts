/** Age of a tip, in seconds, from which blocks are assumed to be missing. */
export const MAX_TIP_AGE = 24 * 60 * 60
/** Bytes of recent blocks that are kept decoded. */
export const RECENT_BLOCKS_BYTES = 10 * 1024 * 1024
/**
 * Number of changed coins from which a new tip is reported before they are committed: writing them takes some
 * milliseconds.
 */
export const LEAST_EARLY_CHANGES = 1_000
/** Blocks whose scripts may be verified at a time, and their bytes. */
export const BLOCKS_UNDER_WAY = 16
export const BYTES_UNDER_WAY = 8 * 1024 * 1024
/** Milliseconds between commits in the initial block download, unless memory fills up earlier. */
export const COMMIT_INTERVAL = 5 * 60 * 1000
/** Milliseconds without a call after which changes are committed in the initial block download. */
export const IDLE_COMMIT = 5_000
/** The maximum number of calls in one commit. */
export const CALLS_PER_COMMIT = 64
/** Milliseconds after which a series of connected blocks is committed, outside the initial block download. */
export const LONGEST_TURN = 500
/** Milliseconds between two notifications of the state in the initial block download. */
export const STATE_INTERVAL = 100
/** Bytes of blocks in the backlog above which peers that send more have to wait (back-pressure). */
export const BACKLOG_BYTES = 6 * 1024 * 1024
/** Milliseconds of validating arrivals before the next block is connected. */
export const LONGEST_INTAKE = 20
/** Unrequested blocks further ahead of the tip than this are not stored. */
export const MOST_AHEAD = 288
/** Maximum number of coins that differ between the tip and an earlier block whose coins are dumped, about 250 bytes each. */
export const MOST_CHANGED_COINS = 10_000_000
