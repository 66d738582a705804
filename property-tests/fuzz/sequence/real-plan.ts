import type { Seeds } from "../target.ts"
import type { Random } from "../random.ts"
import type { Damage } from "./plan.ts"
import { REAL_NETWORKS } from "./real-network.ts"

/** A block of the chain put somewhere, with changes. */
export interface RealStep {
  /** Where its parent is: 0 the tip, 1 the newest block, 2 the one before. */
  readonly back: number
  /** Which block of the chain its transactions are from: 0 the one that belongs at its height, then those above it. */
  readonly above: number
  /** How its time is shifted. */
  readonly time: number
  readonly changes: ReadonlyArray<Damage>
  /** Whether the coinbase claims what the changed transactions leave to it. */
  readonly fits: boolean
  /** Whether the witness commitment is put right after the changes, and the header made to commit to them. */
  readonly mended: boolean
  /** A bit of the finished transactions that is turned, counted in bits from a place that depends on it; −1: none. */
  readonly flip: number
  /** Whether it is also offered without changes. */
  readonly again: boolean
  /** How many of the blocks that follow arrive before it. */
  readonly late: number
  /** Whether it arrives once more in the end. */
  readonly twice: boolean
}

/** Blocks on a real chain of which the first `height` are there unchanged. */
export interface RealPlan {
  readonly steps: ReadonlyArray<RealStep>
  readonly height: number
  readonly network: number
  readonly blocks: ReadonlyArray<Uint8Array>
}

const NETWORK_NUMBERS = [...REAL_NETWORKS.keys()]

const realStep = (random: Random, kinds: number, minable: boolean): RealStep => {
  const changed = random.below(10) < 6
  const damage = (): Damage => ({ kind: random.below(kinds), how: random.below(256) })
  const flipped = changed && random.oneIn(5)
  return {
    back: random.pick([0, 0, 0, 0, 0, 0, 1, 1, 2 + random.below(5)]),
    above: random.oneIn(8) ? random.below(6) : 0,
    time: random.oneIn(5) ? random.below(12) : 0,
    changes: changed && !flipped ? Array.from({ length: random.oneIn(5) ? 2 : 1 }, damage) : [],
    fits: random.below(4) < 3,
    mended: minable ? !random.oneIn(8) : random.oneIn(8),
    flip: flipped ? random.below(1 << 24) : -1,
    again: random.oneIn(3),
    late: random.oneIn(8) ? 1 + random.below(4) : 0,
    twice: random.oneIn(10)
  }
}

/** Below a block with more than a coinbase, mostly: there is more to be changed in it. */
const startHeight = (random: Random, blocks: ReadonlyArray<Uint8Array>): number => {
  const last = Math.max(0, blocks.length - 6)
  const full = [...blocks.keys()].filter((i) => i > 0 && blocks[i]![80]! > 1)
  const height = random.oneIn(4) || full.length === 0 ? random.below(last) : random.pick(full) - 1 - random.below(4)
  return Math.min(last, Math.max(0, height))
}

/** A few blocks on one of `chains`, with changes of so many kinds. Precondition: there is a chain. */
export const realPlan = (random: Random, chains: Seeds["chains"], kinds: number): RealPlan => {
  const chain = random.pick(chains)
  const numbers = NETWORK_NUMBERS.filter((i) => REAL_NETWORKS[i]!.of === chain.network)
  const minable = numbers.filter((i) => REAL_NETWORKS[i]!.minable)
  const network = random.pick(random.oneIn(8) ? numbers : minable)
  return {
    steps: Array.from({ length: 2 + random.below(9) }, () => realStep(random, kinds, REAL_NETWORKS[network]!.minable)),
    height: startHeight(random, chain.blocks),
    network,
    blocks: chain.blocks
  }
}

const ofKinds = ({ changes }: RealStep, kinds: number): boolean => changes.every(({ kind }) => kind < kinds)

/** Whether a simplified plan still is one. */
export const isRealPlan = ({ steps, height, network, blocks }: RealPlan, kinds: number): boolean =>
  network < REAL_NETWORKS.length && height < blocks.length && steps.every((step) => ofKinds(step, kinds))
