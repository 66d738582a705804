import type { Bits, Work } from "../quantities.ts"
import { expandTarget } from "./compact-target.ts"

/**
 * The work of a block with these `bits`: the average number of hashes it takes. Zero without a valid target.
 *
 *     work = ⌊2²⁵⁶ / (target + 1)⌋
 *
 * @spec WRK-003 #0e241218
 */
export const blockWork = (bits: Bits): Work => {
  const target = expandTarget(bits)
  return target === undefined ? 0n : (1n << 256n) / (target + 1n)
}
