import type { Bits, Work } from "../quantities.ts"
import { expandTarget } from "./compact-target.ts"

/**
 * The work a block of these `bits` stands for: how many hashes it takes on average. Zero where there is no target.
 *
 *     work = ⌊2²⁵⁶ / (target + 1)⌋
 *
 * @spec WRK-003 #0e241218
 */
export const blockWork = (bits: Bits): Work => {
  const target = expandTarget(bits)
  return target === undefined ? 0n : (1n << 256n) / (target + 1n)
}
