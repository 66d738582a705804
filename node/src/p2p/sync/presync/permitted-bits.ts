import type { Height } from "@lockstep/kernel/quantities"
import type { WorkParameters } from "@lockstep/kernel/parameters"
import { compactTarget, expandTarget } from "@lockstep/kernel/work"
import { retargetInterval } from "@lockstep/kernel/header"

/** Maximum factor between the targets of consecutive periods. */
const MOST = 4n

const rounded = (target: bigint, powLimit: bigint): bigint =>
  expandTarget(compactTarget(target > powLimit ? powLimit : target)) ?? 0n

/**
 * True if a header at `height` may have `bits` after a header with `before`, as far as that shows without the times of
 * the period. It bounds the chains whose work is summed before any of it is stored; the rule itself is WRK-007.
 */
export const bitsArePermitted = (height: Height, before: number, bits: number, work: WorkParameters): boolean => {
  if (work.allowMinDifficulty) return true
  if (height % retargetInterval(work) !== 0) return before === bits
  const old = expandTarget(before)
  const target = expandTarget(bits)
  if (old === undefined || target === undefined) return false
  return target <= rounded(old * MOST, work.powLimit) && target >= rounded(old / MOST, work.powLimit)
}
