/** Bytes of memory that the pool may take, as far as that can be told. */
export const POOL_BYTES = 300_000_000
/** When it is full the cheapest go until it is this much smaller, so that the next does not make it full again. */
export const EVICTED_SHARE = 0.05
/** Satoshis for 1,000 virtual bytes below which nobody passes a transaction on. */
export const MIN_RELAY_RATE = 100
/** What the pool's lowest rate is raised by when transactions are driven out for lack of room. */
export const RATE_STEP = 100
/** Weight of the largest transaction that is passed on. */
export const MAX_STANDARD_WEIGHT = 400_000
/** Bytes, without witness, of the smallest one: smaller ones can be taken for nodes of a merkle tree. */
export const MIN_STANDARD_SIZE = 65
export const MAX_STANDARD_VERSION = 3
export const MAX_STANDARD_SIGOPS_COST = 16_000
/** Virtual bytes that a signature operation counts at least, were there as much data. */
export const BYTES_PER_SIGOP = 20
/** Bytes of transactions of disconnected blocks that are kept to come back. */
export const RETURNING_BYTES = 20_000_000
