/** Something to be timed; `call` numbers the calls, so that the work can go through different inputs. */
export type Work = (call: number) => unknown

/** How long to measure: `runs` runs, in each of them about `milliseconds` per contestant. */
export interface Effort {
  readonly runs: number
  readonly milliseconds: number
}

/** Seconds of processor time per call, one figure per run; figures at the same place are from the same run. */
export type Timing = ReadonlyArray<number>

/** A contestant is never run longer than this before the others have their turn, unless one call takes longer. */
const SLICE_SECONDS = 0.008

/**
 * Processor time of this process, its collector's threads included: what a clock shows depends on what else is running.
 */
const processorSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6
}

const secondsFor = (work: Work, from: number, count: number): number => {
  const start = processorSeconds()
  for (let call = from; call < from + count; call++) work(call)
  return processorSeconds() - start
}

/** How long a contestant runs before it counts: until then it is still being compiled. */
const WARM_UP_SECONDS = 0.2

/** Calls that fit a slice, found while `work` warms up. */
const callsPerSlice = (work: Work): number => {
  let calls = 1
  for (let spent = 0; spent < WARM_UP_SECONDS;) {
    const seconds = secondsFor(work, 0, calls)
    spent += seconds
    calls = Math.max(1, Math.min(2 * calls, Math.round((calls * SLICE_SECONDS) / seconds)))
  }
  return calls
}

/** The middle one. */
export const median = (figures: ReadonlyArray<number>): number =>
  [...figures].sort((a, b) => a - b)[figures.length >> 1]!

/** How much longer `timing` takes than `floor`: the median of the quotients of each run. */
export const ratio = (timing: Timing, floor: Timing): number =>
  median(timing.map((seconds, run) => seconds / floor[run]!))

/**
 * Times contestants against each other. All do the same calls, in short slices that take turns. Whatever else happens on the
 * machine reaches all of them alike: quotients within a run stand where absolute figures do not.
 */
export const race = (contestants: ReadonlyArray<Work>, { milliseconds, runs }: Effort): ReadonlyArray<Timing> => {
  const count = Math.min(...contestants.map(callsPerSlice))
  const slowest = Math.max(...contestants.map((work) => secondsFor(work, 0, count)))
  const slices = Math.max(2, Math.round(milliseconds / 1_000 / slowest))
  const timings = contestants.map((): Array<number> => [])
  for (let run = 0; run < runs; run++) {
    const totals = contestants.map(() => 0)
    for (let slice = 0; slice < slices; slice++) {
      for (let turn = 0; turn < contestants.length; turn++) {
        const contestant = (turn + slice) % contestants.length
        totals[contestant]! += secondsFor(contestants[contestant]!, slice * count, count)
      }
    }
    totals.forEach((total, contestant) => timings[contestant]!.push(total / (slices * count)))
  }
  return timings
}
