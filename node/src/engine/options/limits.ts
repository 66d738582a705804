/** A tip older than this, in seconds, means that blocks are missing. */
export const MAX_TIP_AGE = 24 * 60 * 60
/** Bytes of recent blocks that are kept decoded. */
export const RECENT_BLOCKS_BYTES = 10 * 1024 * 1024
/** Changed coins from which on a new tip is reported before they are committed: writing them takes some milliseconds. */
export const LEAST_EARLY_CHANGES = 1_000
/** Blocks whose scripts may be verified at once, and their bytes. */
export const BLOCKS_UNDER_WAY = 16
export const BYTES_UNDER_WAY = 8 * 1024 * 1024
/** In the initial download, milliseconds between commits, unless memory fills up earlier. */
export const COMMIT_INTERVAL = 5 * 60 * 1000
/** In the initial download, milliseconds without a call after which what is there is committed. */
export const IDLE_COMMIT = 5_000
/** Calls that one commit may stand for. */
export const CALLS_PER_COMMIT = 64
/** Out of the initial download, milliseconds after which blocks that are connected one after another are committed. */
export const LONGEST_TURN = 500
/** In the initial download, milliseconds between two notifications of the state while blocks are connected. */
export const STATE_INTERVAL = 100
/** Bytes of blocks waiting to be connected above which peers that bring more have to wait (back-pressure). */
export const BACKLOG_BYTES = 6 * 1024 * 1024
/** Milliseconds of validating arrivals before the next block is connected. */
export const LONGEST_INTAKE = 20
/** Unrequested blocks further ahead of the tip than this are not kept. */
export const MOST_AHEAD = 288
/** Coins that differ between the tip and an earlier block whose coins are written into a file, about 250 bytes each. */
export const MOST_CHANGED_COINS = 10_000_000
