import type { WorkParameters } from "../parameters/chain-parameters.ts"
import { ancestorAt, type HeaderNode } from "../chain/header-node.ts"
import type { Bits, UnixSeconds } from "../quantities.ts"
import { compactTarget, expandTarget } from "../work/compact-target.ts"

/** Blocks of one difficulty period. */
export const retargetInterval = (work: WorkParameters): number => work.targetTimespan / work.targetSpacing

/**
 * The bits of the period after one that started at `firstTime` and ended at `lastTime`, in which `bits` were required.
 *
 *     target' = min(powLimit, ⌊target · clamp(lastTime − firstTime, T/4, 4T) / T⌋)
 *
 * A negative timespan clamps like a short one. The span covers one block less than the period has, which is consensus.
 *
 * @spec WRK-005 #29f95304
 */
export const retarget = (firstTime: UnixSeconds, lastTime: UnixSeconds, bits: Bits, work: WorkParameters): Bits => {
  const { powLimit, targetTimespan } = work
  const timespan = Math.min(Math.max(lastTime - firstTime, Math.floor(targetTimespan / 4)), targetTimespan * 4)
  const target = (expandTarget(bits) ?? 0n) * BigInt(timespan) / BigInt(targetTimespan)
  return compactTarget(target > powLimit ? powLimit : target)
}

/**
 * The bits that test networks ask for between two retargets. A block more than twice the spacing after its parent needs
 * the easiest ones, any other those of the last block that was not made so.
 *
 * @spec WRK-006 #e42591a2
 */
export const minDifficultyBits = (parent: HeaderNode, time: UnixSeconds, work: WorkParameters): Bits => {
  const easiest = compactTarget(work.powLimit)
  if (time > parent.header.time + work.targetSpacing * 2) return easiest
  const interval = retargetInterval(work)
  let at = parent
  // Only genesis has no parent, and a period begins there.
  while (at.height % interval !== 0 && at.header.bits === easiest) at = at.parent!
  return at.header.bits
}

/**
 * The bits a header with `time` on top of `parent` must have.
 *
 * Within a period those of the parent (on test networks WRK-006). At its end a retarget over the period, from the bits
 * of its last block. Under BIP94 from those of its first, which no minimum difficulty block can have made easy.
 *
 * @spec WRK-007 #50b087dc
 */
export const requiredBits = (parent: HeaderNode, time: UnixSeconds, work: WorkParameters): Bits => {
  const interval = retargetInterval(work)
  if ((parent.height + 1) % interval !== 0) {
    return work.allowMinDifficulty ? minDifficultyBits(parent, time, work) : parent.header.bits
  }
  if (work.noRetargeting) return parent.header.bits
  const first = ancestorAt(parent, parent.height - (interval - 1))!
  return retarget(first.header.time, parent.header.time, (work.bip94 ? first : parent).header.bits, work)
}
