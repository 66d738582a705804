import type { WorkParameters } from "@lockstep/kernel/parameters"

/** Returns work parameters with two weeks of ten-minute blocks and no exception, changed by `differing`. */
export const workParameters = (powLimit: bigint, differing: Partial<WorkParameters> = {}): WorkParameters => ({
  powLimit,
  targetTimespan: 1_209_600,
  targetSpacing: 600,
  allowMinDifficulty: false,
  noRetargeting: false,
  bip94: false,
  ...differing
})
