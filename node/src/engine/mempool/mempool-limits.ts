/** Bytes of memory that the mempool may take, by estimate. */
export const MAX_MEMPOOL_BYTES = 300_000_000
/**
 * A full mempool evicts the cheapest transactions until it is this much smaller, so that the next does not fill it
 * again.
 */
export const EVICTED_SHARE = 0.05
/** Satoshis for 1,000 virtual bytes below which nodes do not relay a transaction. */
export const MIN_RELAY_RATE = 100
/** The step by which the mempool's lowest rate rises when transactions are evicted for lack of room. */
export const RATE_STEP = 100
/** Weight of the largest transaction that is relayed. */
export const MAX_STANDARD_WEIGHT = 400_000
/** Bytes, without witness, of the smallest one: smaller ones can be taken for nodes of a merkle tree. */
export const MIN_STANDARD_SIZE = 65
export const MAX_STANDARD_VERSION = 3
export const MAX_STANDARD_SIGOPS_COST = 16_000
/** Virtual bytes that a signature operation counts at least, were there as much data. */
export const BYTES_PER_SIGOP = 20
/** Bytes of transactions of disconnected blocks that are kept to re-enter the mempool. */
export const DISCONNECTED_TRANSACTION_BYTES = 20_000_000
