import type { Height, Sats } from "../quantities.ts"

/** Satoshis a block creates before the first halving. */
const INITIAL_SUBSIDY = 50n * 100_000_000n

/**
 * Returns the satoshis that a block of `height` may create.
 *
 *     subsidy(h) = ⌊50·10⁸ / 2^⌊h / interval⌋⌋,  0 from 64 halvings on
 *
 * @spec UTX-004 #66603bc6
 */
export const blockSubsidy = (height: Height, halvingInterval: number): Sats =>
  INITIAL_SUBSIDY >> BigInt(Math.floor(height / halvingInterval))
