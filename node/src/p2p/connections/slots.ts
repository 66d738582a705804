import { CONNECTION_LIMITS } from "./connection-limits.ts"

/** Maximum number of connections of each kind. */
export interface Slots {
  readonly fullRelay: number
  readonly blockRelay: number
  readonly feelers: number
  readonly inbound: number
}

const { blockRelay, feelers, fullRelay } = CONNECTION_LIMITS

/**
 * Assigns connection slots as Bitcoin Core does. `target` is the wanted number of outbound connections; `undefined` for
 * Core's numbers.
 */
export const slotsOf = (maximum: number, target: number | undefined): Slots => {
  const wanted = Math.min(maximum, target ?? fullRelay.most + blockRelay.most)
  const forBlocks = Math.max(0, Math.min(blockRelay.most, wanted - fullRelay.most))
  const full = wanted - forBlocks
  const looking = wanted === 0 ? 0 : Math.min(feelers.most, maximum - wanted)
  return { fullRelay: full, blockRelay: forBlocks, feelers: looking, inbound: maximum - wanted - looking }
}
