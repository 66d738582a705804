import { type GraphStep, playSteps, STEP_KINDS } from "../../src/graph/steps.ts"
import { players } from "../../src/graph/players.ts"
import type { Random } from "../random.ts"
import type { Target } from "../target.ts"

/** A history of a graph, and how often it is compared with one that computes everything anew. */
interface History {
  readonly transactions: number
  readonly size: number
  readonly every: number
  readonly steps: ReadonlyArray<GraphStep>
}

const list = (random: Random, length: number, limit: number): ReadonlyArray<number> =>
  Array.from({ length }, () => random.below(limit))

/** Fees of a few values make ties; large ones make products that are not exact; some are below zero. */
const feesOf = (random: Random, range: number): ReadonlyArray<number> =>
  list(random, 3, range).map((fee) => (random.oneIn(12) ? -fee : random.oneIn(40) ? 21e14 - fee : fee))

const WIDE = { transactions: 64, size: 404_000 }

const narrow = (random: Random): Pick<History, "transactions" | "size"> => ({
  transactions: 1 + random.below(8),
  size: random.pick([10, 100, 10_000])
})

/** Random histories of the mempool's graph. */
export const txGraphTarget: Target<History> = {
  name: "tx-graph",
  about: "clusters, linearization, mining order, staging and cutting of the mempool's graph",
  generate: (random) => {
    const isWide = random.oneIn(3)
    const fees = random.pick([3, 10, 1_000, 1_000_000, 2 ** 31])
    const sizes = random.pick([1, 4, 100, 3_000])
    // Picks from the newest few make long chains.
    const picks = random.pick([4, 1_000, 1_000_000])
    return {
      ...(isWide ? WIDE : narrow(random)),
      every: isWide ? 10 : random.pick([1, 1, 4]),
      steps: Array.from({ length: 5 + random.below(isWide ? 140 : 50) }, () => ({
        kind: random.oneIn(isWide ? 2 : 4) ? random.below(4) : random.below(STEP_KINDS),
        picks: list(random, random.below(isWide ? 8 : 5), picks),
        fees: feesOf(random, fees),
        sizes: list(random, 3, sizes).map((size) => size + 1)
      }))
    }
  },
  isInput: ({ every, size, steps, transactions }) =>
    every >= 1 && transactions >= 1 && transactions <= 64 && size >= 1 &&
    steps.every(({ fees, picks, sizes }) =>
      fees.length === 3 && sizes.length === 3 && sizes.every((each) => each >= 1) && picks.every((each) => each >= 0)
    ),
  judge: ({ every, size, steps, transactions }) => playSteps(players({ transactions, size }), steps, every)
}
