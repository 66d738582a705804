/** A tip older than this, in seconds, means that blocks are missing. */
export const MAX_TIP_AGE = 24 * 60 * 60
/** Bytes of blocks that arrived and are kept decoded. */
export const RECENT_BLOCKS_BYTES = 8 * 1024 * 1024
/** Blocks whose scripts may be under way at once, and their bytes. */
export const BLOCKS_UNDER_WAY = 4
export const BYTES_UNDER_WAY = 8 * 1024 * 1024
/** In the initial download, milliseconds between commits, unless memory fills up earlier. */
export const COMMIT_INTERVAL = 5 * 60 * 1000
/** In the initial download, milliseconds without a call after which what is there is committed. */
export const IDLE_COMMIT = 5_000
/** Calls that one commit may stand for. */
export const CALLS_PER_COMMIT = 64
