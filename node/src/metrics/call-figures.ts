import type { Seconds } from "../quantities.ts"
import { type ReadClock } from "../clock.ts"
import { CALL_BOUNDS, type Histogram, histogramOf, observe } from "../figures/histogram.ts"
import { type Sample, sample } from "./sample.ts"

/** The reason why a request with calls was rejected. */
export type RefusalReason = "credentials" | "blocked" | "rate" | "overload"

/** The load of the server, and the results of calls. */
export interface CallFigures {
  /** Counts a call; `method` must exist. */
  readonly called: (method: string, seconds: Seconds, succeeded: boolean) => void
  readonly refused: (reason: RefusalReason) => void
  readonly entered: () => void
  readonly left: () => void
  readonly inFlight: () => number
  /** Returns the number of requests within the last minute that were rejected because the server was full. */
  readonly overloads: () => number
  readonly totals: () => CallTotals
  readonly samples: () => ReadonlyArray<Sample>
}

export interface CallTotals {
  readonly succeeded: number
  readonly failed: number
  readonly seconds: Seconds
  readonly methods: ReadonlyMap<
    string,
    { readonly succeeded: number; readonly failed: number; readonly seconds: Seconds }
  >
}

interface MethodFigures {
  succeeded: number
  failed: number
  readonly durations: Histogram
}

const MINUTE_MS = 60_000

const samplesOf = (method: string, { durations, failed, succeeded }: MethodFigures): ReadonlyArray<Sample> => [
  sample("lockstep_rpc_requests_total", succeeded, { method, outcome: "ok" }),
  sample("lockstep_rpc_requests_total", failed, { method, outcome: "error" }),
  sample("lockstep_rpc_request_seconds", durations, { method })
]

export const callFigures = (now: ReadClock): CallFigures => {
  const methods = new Map<string, MethodFigures>()
  const refusals = new Map<RefusalReason, number>()
  let overloads: Array<number> = []
  let inside = 0

  const recentOverloads = (): number => {
    const since = now() - MINUTE_MS
    overloads = overloads.filter((time) => time > since)
    return overloads.length
  }

  const totals = (): CallTotals => {
    const each = new Map(
      [...methods].map((
        [name, { durations, failed, succeeded }]
      ) => [name, { succeeded, failed, seconds: durations.sum }])
    )
    const sumOf = (key: "succeeded" | "failed" | "seconds"): number =>
      [...each.values()].reduce((sum, one) => sum + one[key], 0)
    return { succeeded: sumOf("succeeded"), failed: sumOf("failed"), seconds: sumOf("seconds"), methods: each }
  }

  return {
    called: (method, seconds, succeeded) => {
      let figures = methods.get(method)
      if (figures === undefined) {
        methods.set(method, figures = { succeeded: 0, failed: 0, durations: histogramOf(CALL_BOUNDS) })
      }
      if (succeeded) figures.succeeded++
      else figures.failed++
      observe(figures.durations, seconds)
    },
    refused: (reason) => {
      refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
      // Only their presence and approximate number matter, so the list is bounded.
      if (reason === "overload" && overloads.length < 1_000) overloads.push(now())
      else if (reason === "overload") overloads[overloads.length - 1] = now()
    },
    entered: () => void inside++,
    left: () => void inside--,
    inFlight: () => inside,
    overloads: recentOverloads,
    totals,
    samples: () => [
      ...[...methods].flatMap(([name, figures]) => samplesOf(name, figures)),
      sample("lockstep_rpc_requests_in_flight", inside),
      ...[...refusals].map(([reason, count]) => sample("lockstep_rpc_refused_total", count, { reason }))
    ]
  }
}
