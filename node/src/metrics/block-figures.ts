import type { NodeEvent } from "../events/node-event.ts"
import { CONNECT_BOUNDS, type Histogram, histogramOf, observe } from "../figures/histogram.ts"
import { type Sample, sample } from "./sample.ts"

/** Durations of blocks, and number of rejected blocks. */
export interface BlockFigures {
  readonly record: (event: NodeEvent) => void
  readonly durations: Histogram
  readonly samples: () => ReadonlyArray<Sample>
}

export const blockFigures = (): BlockFigures => {
  const durations = histogramOf(CONNECT_BOUNDS)
  let rejected = 0
  return {
    record: (event) => {
      if (event.type !== "BlockValidationCompleted") return
      if (event.payload.valid) observe(durations, event.payload.duration_ms / 1_000)
      else rejected++
    },
    durations,
    samples: () => [
      sample("lockstep_block_connect_seconds", durations),
      sample("lockstep_blocks_rejected_total", rejected)
    ]
  }
}
