import type { Target } from "@lockstep/property-tests/fuzz/target.ts"
import { REGRESSIONS } from "../regressions-directory.ts"
import { emptyWorld } from "../../engine/txmempool/world.ts"
import { takeStep } from "../../engine/txmempool/world-steps.ts"

/** A history of a mempool: the throws of the dice that decide each of its steps. Those that are left out are 0. */
interface MempoolHistory {
  readonly transactions: number
  readonly weight: number
  readonly maxBytes: number
  /** How many steps apart all is compared; what leaves is compared at each. */
  readonly every: number
  readonly steps: ReadonlyArray<ReadonlyArray<number>>
}

const DICE = 0x1_0000
const THROWS = 60

const tally = new Map<string, number>()

/** Random histories of the mempool's state. */
export const mempoolStateTarget: Target<MempoolHistory> = {
  name: "mempool-state",
  about: "entries, replacement, blocks, reorganizations, expiry and eviction of the mempool, and its count of memory",
  regressions: REGRESSIONS,
  generate: (random) => {
    const isWide = random.oneIn(3)
    return {
      transactions: isWide ? 64 : 1 + random.below(8),
      weight: isWide ? 404_000 : random.pick([1_200, 5_000, 404_000]),
      maxBytes: random.pick([8_000, 26_000, 80_000, 10_000_000]),
      every: random.pick([1, 4, 10]),
      steps: Array.from(
        { length: 10 + random.below(120) },
        () => Array.from({ length: THROWS }, () => random.below(DICE))
      )
    }
  },
  isInput: ({ every, maxBytes, steps, transactions, weight }) =>
    every >= 1 && transactions >= 1 && transactions <= 64 && weight >= 1 && maxBytes >= 1_000 &&
    steps.every((dice) => dice.every((each) => each >= 0 && each < DICE)),
  judge: ({ every, maxBytes, steps, transactions, weight }) => {
    let dice: ReadonlyArray<number> = []
    let at = 0
    const world = emptyWorld(
      { limits: { transactions, size: weight }, maxBytes },
      () => (dice[at++] ?? 0) / DICE
    )
    for (dice of steps) {
      at = 0
      takeStep(world, every)
    }
    for (const reason of world.departures) tally.set(reason, (tally.get(reason) ?? 0) + 1)
    return undefined
  },
  notes: () => [
    `histories in which entries left for: ${[...tally].toSorted().map(([why, times]) => `${why} ${times}`).join(", ")}`
  ]
}
