import type { Seconds } from "../quantities.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { residentBytes } from "../figures/resident-bytes.ts"
import type { NodeFacts } from "../metrics/facts.ts"
import { method } from "./definition/method.ts"
import { optionalDescribed, Time, described } from "../answers/result-schema.ts"
import type { MethodNode } from "./definition/method-node.ts"

const Calls = Schema.Struct({
  succeeded: described(Schema.Number, "Calls that had a result"),
  failed: described(Schema.Number, "Calls that had an error"),
  average_ms: described(Schema.Number, "How long one took on average")
})

const Thread = Schema.Struct({
  heap_used_bytes: described(Schema.Number, "JavaScript heap in use"),
  heap_limit_bytes: described(Schema.Number, "Size at which the heap is full"),
  external_bytes: described(Schema.Number, "Memory outside the heap"),
  event_loop_lag_ms: described(Schema.Number, "How late all but one in a hundred timers were at most, lately")
})

const Storage = Schema.Struct({
  block_count: described(Schema.Number, "Blocks of the active chain"),
  transaction_count: described(Schema.Number, "Transactions of the active chain"),
  disk_size: described(Schema.Number, "Bytes of block and undo files"),
  disk_free: optionalDescribed(Schema.Number, "Bytes that are free on that disk"),
  coin_cache_bytes: optionalDescribed(Schema.Number, "Memory of the coin cache"),
  coin_cache_hit_ratio: optionalDescribed(Schema.Number, "Share of coin look-ups that the cache answered")
})

const Rpc = Schema.Struct({
  requests_total: described(Schema.Number, "Calls"),
  requests_success: described(Schema.Number, "Those that had a result"),
  requests_failed: described(Schema.Number, "Those that had an error"),
  requests_in_flight: described(Schema.Number, "Requests under way, this one included"),
  avg_response_time_ms: described(Schema.Number, "How long a call took on average"),
  methods: described(Schema.Record(Schema.String, Calls), "Calls by method")
})

const Metrics = Schema.Struct({
  storage: described(Storage, "The chain and the disk"),
  rpc: described(Rpc, "This server"),
  performance: described(
    Schema.Struct({
      blocks_connected: described(Schema.Number, "Blocks connected since the start"),
      avg_block_processing_time_ms: described(Schema.Number, "How long one took on average")
    }),
    "Work on blocks"
  ),
  system: described(
    Schema.Struct({
      uptime_seconds: described(Schema.Number, "Seconds since the node started"),
      memory_usage_bytes: described(Schema.Number, "Memory of the process in RAM"),
      cpu_seconds: described(Schema.Number, "Processor time of all threads"),
      threads: described(Schema.Record(Schema.String, Thread), "Of the threads main and engine")
    }),
    "The process"
  ),
  timestamp: described(Time, "When this was measured")
})

const perCall = (seconds: Seconds, calls: number): number => calls === 0 ? 0 : seconds * 1_000 / calls

const ratio = (hits: number, misses: number): number | undefined =>
  hits + misses === 0 ? undefined : hits / (hits + misses)

const storageOf = ({ disk, engine }: NodeFacts, { chain }: MethodNode) => {
  const state = chain.state()
  const coins = engine._tag === "Answered" ? engine.figures.coins : undefined
  return {
    block_count: state.height + 1,
    transaction_count: state.transactions,
    disk_size: state.sizeOnDisk,
    disk_free: disk?.free,
    coin_cache_bytes: coins?.bytes,
    coin_cache_hit_ratio: coins && ratio(coins.hits, coins.misses)
  }
}

const rpcOf = ({ metrics: { calls } }: MethodNode) => {
  const { failed, methods, seconds, succeeded } = calls.totals()
  return {
    requests_total: succeeded + failed,
    requests_success: succeeded,
    requests_failed: failed,
    requests_in_flight: calls.inFlight(),
    avg_response_time_ms: perCall(seconds, succeeded + failed),
    methods: Object.fromEntries(
      [...methods].map((
        [name, each]
      ) => [name, {
        succeeded: each.succeeded,
        failed: each.failed,
        average_ms: perCall(each.seconds, each.succeeded + each.failed)
      }])
    )
  }
}

const systemOf = ({ engine, main }: NodeFacts, { uptimeSeconds }: MethodNode) => {
  const threads = { main, ...(engine._tag === "Answered" ? { engine: engine.figures.thread } : {}) }
  const { system, user } = process.cpuUsage()
  return {
    uptime_seconds: uptimeSeconds(),
    memory_usage_bytes: residentBytes(),
    cpu_seconds: (system + user) / 1e6,
    threads: Object.fromEntries(
      Object.entries(threads).map(([name, { external, heapLimit, heapUsed, lag }]) => [name, {
        heap_used_bytes: heapUsed,
        heap_limit_bytes: heapLimit,
        external_bytes: external,
        event_loop_lag_ms: lag.p99 * 1_000
      }])
    )
  }
}

export const getmetrics = method({
  name: "getmetrics",
  category: "lockstep",
  privilege: "anyone",
  description: "Answers what is measured of the node. GET /metrics has more of it, for Prometheus.",
  parameters: {},
  result: Metrics,
  examples: [{ params: [] }],
  call: (_, node) =>
    Effect.map(Effect.all([node.metrics.facts, Clock.currentTimeMillis]), ([facts, now]) => {
      const { durations } = node.metrics.blocks
      return {
        storage: storageOf(facts, node),
        rpc: rpcOf(node),
        performance: {
          blocks_connected: durations.count,
          avg_block_processing_time_ms: perCall(durations.sum, durations.count)
        },
        system: systemOf(facts, node),
        timestamp: Math.floor(now / 1_000)
      }
    })
})
