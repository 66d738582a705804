import type { Subscription } from "../events/event-bus.ts"
import type { ChainState } from "../engine/api/chain-state.ts"
import type { EngineFigures } from "../engine/api/engine-calls.ts"
import type { MempoolFigures } from "../engine/api/mempool-calls.ts"
import type { NodeFacts } from "./facts.ts"
import { residentBytes } from "../figures/resident-bytes.ts"
import { type Sample, sample } from "./sample.ts"
import type { ThreadFigures } from "../figures/thread-figures.ts"

const MICROSECOND = 1e-6

export const processSamples = (): ReadonlyArray<Sample> => {
  const { system, user } = process.cpuUsage()
  return [
    sample("lockstep_uptime_seconds", Math.floor(process.uptime())),
    sample("lockstep_cpu_seconds_total", user * MICROSECOND, { mode: "user" }),
    sample("lockstep_cpu_seconds_total", system * MICROSECOND, { mode: "system" }),
    sample("lockstep_resident_memory_bytes", residentBytes())
  ]
}

const threadSamples = (
  thread: string,
  { external, heapLimit, heapUsed, lag, pauses }: ThreadFigures
): ReadonlyArray<Sample> => [
  sample("lockstep_heap_used_bytes", heapUsed, { thread }),
  sample("lockstep_heap_limit_bytes", heapLimit, { thread }),
  sample("lockstep_external_memory_bytes", external, { thread }),
  sample("lockstep_event_loop_lag_seconds", lag.median, { thread, quantile: "0.5" }),
  sample("lockstep_event_loop_lag_seconds", lag.p99, { thread, quantile: "0.99" }),
  sample("lockstep_event_loop_lag_seconds", lag.longest, { thread, quantile: "1" }),
  ...Object.entries(pauses).map(([kind, durations]) => sample("lockstep_gc_pause_seconds", durations, { thread, kind }))
]

const chainSamples = (state: ChainState): ReadonlyArray<Sample> => [
  sample("lockstep_chain_height", state.height),
  sample("lockstep_chain_headers", state.headersHeight),
  sample("lockstep_chain_verification_progress", state.progress),
  sample("lockstep_chain_tip_time_seconds", state.time),
  sample("lockstep_chain_initial_block_download", state.initialBlockDownload ? 1 : 0),
  sample("lockstep_chain_files_bytes", state.sizeOnDisk)
]

/** Makes the sample of the hit ratio; none before the first look-up. */
const ratioSamples = ({ hits, misses }: EngineFigures["coins"]): ReadonlyArray<Sample> =>
  hits + misses === 0 ? [] : [sample("lockstep_coin_cache_hit_ratio", hits / (hits + misses))]

const engineSamples = ({ coins, scripts, thread }: EngineFigures): ReadonlyArray<Sample> => [
  ...threadSamples("engine", thread),
  sample("lockstep_block_scripts_total", scripts.before, { verified: "before" }),
  sample("lockstep_block_scripts_total", scripts.withBlock, { verified: "with_block" }),
  sample("lockstep_coin_cache_lookups_total", coins.hits, { result: "hit" }),
  sample("lockstep_coin_cache_lookups_total", coins.misses, { result: "miss" }),
  ...ratioSamples(coins),
  sample("lockstep_coin_cache_bytes", coins.bytes),
  sample("lockstep_coin_cache_changes", coins.changes)
]

const mempoolSamples = (figures: MempoolFigures): ReadonlyArray<Sample> => [
  sample("lockstep_mempool_transactions", figures.transactions),
  sample("lockstep_mempool_virtual_bytes", figures.virtualSize),
  sample("lockstep_mempool_memory_bytes", figures.usage),
  sample("lockstep_mempool_output_records_bytes", figures.outputRecordBytes),
  sample("lockstep_mempool_memory_limit_bytes", figures.maxBytes),
  sample("lockstep_mempool_minimum_feerate", figures.minimumFee),
  sample("lockstep_mempool_unbroadcast", figures.unbroadcast),
  sample("lockstep_mempool_added_total", figures.added),
  ...Object.entries(figures.removed).map(([reason, count]) =>
    sample("lockstep_mempool_removed_total", count, { reason })
  ),
  ...Object.entries(figures.rejected).map(([what, count]) =>
    sample("lockstep_mempool_rejected_total", count, { class: what })
  )
]

const diskSamples = ({ free, total }: NonNullable<NodeFacts["disk"]>): ReadonlyArray<Sample> => [
  sample("lockstep_disk_free_bytes", free),
  sample("lockstep_disk_total_bytes", total)
]

/** Makes samples of the checked facts; parts that did not answer have none. */
export const factSamples = ({ chain, disk, engine, main, mempool }: NodeFacts): ReadonlyArray<Sample> => [
  ...threadSamples("main", main),
  ...(chain === undefined ? [] : chainSamples(chain)),
  ...(engine._tag === "Answered" ? engineSamples(engine.figures) : []),
  ...(mempool === undefined ? [] : mempoolSamples(mempool)),
  ...(disk === undefined ? [] : diskSamples(disk))
]

/** Makes samples of the bus. Subscribers of one name count together. */
export const eventSamples = (subscriptions: ReadonlyArray<Subscription>): ReadonlyArray<Sample> => {
  const sums = new Map<string, { delivered: number; dropped: number }>()
  for (const { name, statistics } of subscriptions) {
    const { channelFull, delivered } = statistics()
    const sum = sums.get(name) ?? { delivered: 0, dropped: 0 }
    sums.set(name, { delivered: sum.delivered + delivered, dropped: sum.dropped + channelFull })
  }
  return [...sums].flatMap(([subscriber, { delivered, dropped }]) => [
    sample("lockstep_events_delivered_total", delivered, { subscriber }),
    sample("lockstep_events_dropped_total", dropped, { subscriber })
  ])
}
