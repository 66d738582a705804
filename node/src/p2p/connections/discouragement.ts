import { type RollingAddresses, rollingAddresses } from "../basics/rolling-addresses.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"

/**
 * Discouraged addresses, of peers that misbehaved. They are not dialed, and are evicted before others. A restart
 * forgets them.
 */
export type Discouragement = RollingAddresses

export const discouraged = (most: number = CONNECTION_LIMITS.discouraged.most): Discouragement => rollingAddresses(most)
