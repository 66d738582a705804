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
 * The same where the node makes no automatic connection: the slots stay reserved, as Bitcoin Core keeps them with
 * `-connect`.
 */
export const withoutOwn = ({ inbound }: Slots): Slots => ({ fullRelay: 0, blockRelay: 0, feelers: 0, inbound })

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
