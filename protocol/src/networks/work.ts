import type { WorkParameters } from "@lockstep/kernel/parameters"

/** Two weeks of ten-minute blocks, and no exception: what networks differ from in the members they state. */
export const workParameters = (powLimit: bigint, differing: Partial<WorkParameters> = {}): WorkParameters => ({
  powLimit,
  targetTimespan: 1_209_600,
  targetSpacing: 600,
  allowMinDifficulty: false,
  noRetargeting: false,
  bip94: false,
  ...differing
})
