import type { Random } from "../random.ts"

/** One transaction of a block: numbers that pick what is spent, how, and what comes of it. */
export interface SpendPlan {
  readonly coin: number
  readonly inputs: number
  readonly outputs: ReadonlyArray<number>
  readonly version: number
  readonly sequence: number
  readonly lockTime: number
  readonly fee: number
}

/** Something done to a block: which thing, and a number that says how. */
export interface Damage {
  readonly kind: number
  readonly how: number
}

/** One block that is offered: where, when, with what in it and what is wrong with it. */
export interface BlockPlan {
  /** Where its parent is: 0 the tip, 1 the newest block, 2 the one before. */
  readonly back: number
  readonly seconds: number
  readonly spends: ReadonlyArray<SpendPlan>
  readonly damages: ReadonlyArray<Damage>
  /** Whether the block is offered again without damage. */
  readonly again: boolean
}

export interface SequencePlan {
  readonly network: number
  readonly blocks: ReadonlyArray<BlockPlan>
}

const spendPlan = (random: Random): SpendPlan => ({
  coin: random.below(1_000),
  inputs: random.oneIn(3) ? 2 : 1,
  outputs: Array.from({ length: 1 + random.below(3) }, () => random.below(16)),
  version: random.below(8),
  sequence: random.oneIn(3) ? random.below(12) : 0,
  lockTime: random.oneIn(6) ? random.below(12) : 0,
  fee: random.below(4)
})

const blockPlan = (random: Random, damages: number): BlockPlan => {
  const wrong = random.oneIn(2)
  return {
    back: random.pick([0, 0, 0, 0, 0, 1, 1, 1, 2 + random.below(5)]),
    seconds: random.oneIn(3) ? random.below(12) : 0,
    spends: Array.from({ length: random.below(5) }, () => spendPlan(random)),
    damages: wrong ? [{ kind: random.below(damages), how: random.below(16) }] : [],
    again: random.oneIn(2)
  }
}

/** A few blocks on one of `networks`, with damages of so many kinds. */
export const sequencePlan = (random: Random, networks: number, damages: number): SequencePlan => ({
  network: random.below(networks),
  blocks: Array.from({ length: 2 + random.below(9) }, () => blockPlan(random, damages))
})
