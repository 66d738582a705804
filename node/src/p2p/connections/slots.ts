import { CONNECTION_LIMITS } from "./connection-limits.ts"

/** How many connections there are of which kind. */
export interface Slots {
  readonly fullRelay: number
  readonly blockRelay: number
  readonly feelers: number
  readonly inbound: number
}

const { blockRelay, feelers, fullRelay } = CONNECTION_LIMITS

/**
 * Connection slots as Bitcoin Core assigns them. `target`: how many outbound connections are wanted; none: Core's
 * numbers.
 */
export const slotsOf = (maximum: number, target: number | undefined): Slots => {
  const wanted = Math.min(maximum, target ?? fullRelay.most + blockRelay.most)
  const forBlocks = Math.max(0, Math.min(blockRelay.most, wanted - fullRelay.most))
  const full = wanted - forBlocks
  const looking = wanted === 0 ? 0 : Math.min(feelers.most, maximum - wanted)
  return { fullRelay: full, blockRelay: forBlocks, feelers: looking, inbound: maximum - wanted - looking }
}
