import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { EventBus } from "../../src/events/event-bus.ts"
import type { EngineFigures } from "../../src/engine/api/engine-calls.ts"
import type { NodeFacts } from "../../src/metrics/facts.ts"
import { eventSamples, factSamples, processSamples } from "../../src/metrics/node-samples.ts"
import type { Sample } from "../../src/metrics/sample.ts"
import { STATE } from "../rpc/fake-chain.ts"

const THREAD: NodeFacts["main"] = {
  heapUsed: 11,
  heapLimit: 12,
  external: 13,
  lag: { median: 0.14, p99: 0.15, longest: 0.16 },
  pauses: {}
}
const ENGINE_THREAD: NodeFacts["main"] = {
  heapUsed: 21,
  heapLimit: 22,
  external: 23,
  lag: { median: 0.24, p99: 0.25, longest: 0.26 },
  pauses: {}
}

const FIGURES: EngineFigures = {
  thread: ENGINE_THREAD,
  coins: { hits: 30, misses: 10, bytes: 4_096, changes: 7 },
  scripts: { before: 17, withBlock: 18 }
}

const facts = (more: Partial<NodeFacts> = {}): NodeFacts => ({
  chain: { ...STATE, height: 100, headersHeight: 250, progress: 0.4, time: 1_700_000_000, sizeOnDisk: 5_000 },
  engine: {
    _tag: "Answered",
    milliseconds: 1,
    figures: FIGURES
  },
  mempool: {
    transactions: 51,
    virtualSize: 5_200,
    usage: 5_300,
    outputRecordBytes: 770,
    maxBytes: 5_400,
    minimumFee: 55,
    unbroadcast: 56,
    added: 57,
    removed: { block: 58, expiry: 59 },
    rejected: { "not standard": 60 }
  },
  main: THREAD,
  disk: { free: 1_000, total: 9_000 },
  ...more
})

/** Values by name and labels. */
const valuesOf = (samples: ReadonlyArray<Sample>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    samples.map((
      { labels, name, value }
    ) => [
      `${name.slice("lockstep_".length)}${Object.entries(labels).map(([key, label]) => ` ${key}=${label}`).join("")}`,
      value
    ])
  )

describe("samples of the node", () => {
  it("are each of their own figure: no two figures of these facts are the same", () => {
    assert.deepStrictEqual(valuesOf(factSamples(facts())), {
      "heap_used_bytes thread=main": 11,
      "heap_limit_bytes thread=main": 12,
      "external_memory_bytes thread=main": 13,
      "event_loop_lag_seconds thread=main quantile=0.5": 0.14,
      "event_loop_lag_seconds thread=main quantile=0.99": 0.15,
      "event_loop_lag_seconds thread=main quantile=1": 0.16,
      "chain_height": 100,
      "chain_headers": 250,
      "chain_verification_progress": 0.4,
      "chain_tip_time_seconds": 1_700_000_000,
      "chain_initial_block_download": 0,
      "chain_files_bytes": 5_000,
      "heap_used_bytes thread=engine": 21,
      "heap_limit_bytes thread=engine": 22,
      "external_memory_bytes thread=engine": 23,
      "event_loop_lag_seconds thread=engine quantile=0.5": 0.24,
      "event_loop_lag_seconds thread=engine quantile=0.99": 0.25,
      "event_loop_lag_seconds thread=engine quantile=1": 0.26,
      "block_scripts_total verified=before": 17,
      "block_scripts_total verified=with_block": 18,
      "coin_cache_lookups_total result=hit": 30,
      "coin_cache_lookups_total result=miss": 10,
      "coin_cache_hit_ratio": 0.75,
      "coin_cache_bytes": 4_096,
      "coin_cache_changes": 7,
      "mempool_transactions": 51,
      "mempool_virtual_bytes": 5_200,
      "mempool_memory_bytes": 5_300,
      "mempool_output_records_bytes": 770,
      "mempool_memory_limit_bytes": 5_400,
      "mempool_minimum_feerate": 55,
      "mempool_unbroadcast": 56,
      "mempool_added_total": 57,
      "mempool_removed_total reason=block": 58,
      "mempool_removed_total reason=expiry": 59,
      "mempool_rejected_total class=not standard": 60,
      "disk_free_bytes": 1_000,
      "disk_total_bytes": 9_000
    })
  })

  it("show headers ahead of blocks while they are", () => {
    const values = valuesOf(
      factSamples(facts({ chain: { ...STATE, height: 7, headersHeight: 9, initialBlockDownload: true } }))
    )
    assert.deepStrictEqual([values["chain_height"], values["chain_headers"], values["chain_initial_block_download"]], [
      7,
      9,
      1
    ])
  })

  it("count misses of the coins cache as they come, with no ratio before the first look-up", () => {
    const withCoins = (hits: number, misses: number) =>
      valuesOf(
        factSamples(
          facts({
            engine: {
              _tag: "Answered",
              milliseconds: 1,
              figures: { ...FIGURES, coins: { hits, misses, bytes: 0, changes: 0 } }
            }
          })
        )
      )
    assert.strictEqual(withCoins(0, 1)["coin_cache_lookups_total result=miss"], 1)
    assert.strictEqual(withCoins(0, 1)["coin_cache_hit_ratio"], 0)
    assert.strictEqual(withCoins(1, 0)["coin_cache_hit_ratio"], 1)
    assert.isFalse("coin_cache_hit_ratio" in withCoins(0, 0))
  })

  it("are left out of what does not answer", () => {
    const names = Object.keys(
      valuesOf(
        factSamples(
          facts({ chain: undefined, disk: undefined, mempool: undefined, engine: { _tag: "Gone", message: "x" } })
        )
      )
    )
    assert.deepStrictEqual(names.filter((name) => !name.endsWith("thread=main") && !name.includes("thread=main ")), [])
    assert.isNotEmpty(names)
  })

  it("have a histogram for each kind of pause", () => {
    const pauses = {
      minor: { bounds: [], counts: [], sum: 1, count: 1 },
      major: { bounds: [], counts: [], sum: 2, count: 2 }
    } as never
    const values = valuesOf(factSamples(facts({ main: { ...THREAD, pauses } })))
    assert.deepStrictEqual(values["gc_pause_seconds thread=main kind=major"], {
      bounds: [],
      counts: [],
      sum: 2,
      count: 2
    })
    assert.deepStrictEqual(values["gc_pause_seconds thread=main kind=minor"], {
      bounds: [],
      counts: [],
      sum: 1,
      count: 1
    })
  })
})

describe("samples of the process", () => {
  it("are in the units that their names say", () => {
    const values = valuesOf(processSamples())
    assert.approximately(values["uptime_seconds"] as number, process.uptime(), 2)
    const { user } = process.cpuUsage()
    assert.approximately(values["cpu_seconds_total mode=user"] as number, user / 1_000_000, 1)
    assert.isAbove(values["cpu_seconds_total mode=user"] as number, 0)
    assert.isAbove(values["resident_memory_bytes"] as number, 1_000_000)
  })
})

describe("samples of events", () => {
  it.effect("count what a full subscriber lost, by the name of the subscriber", () =>
    Effect.gen(function*() {
      const bus = yield* EventBus
      yield* bus.subscribe({ name: "slow", capacity: 3 })
      yield* bus.subscribe({ name: "slow", capacity: 5 })
      yield* bus.subscribe({ name: "quick", capacity: 50 })
      for (let i = 0; i < 10; i++) yield* bus.publish("NodeShutdownCompleted", { duration_ms: i })
      assert.deepStrictEqual(valuesOf(eventSamples(bus.subscriptions())), {
        "events_delivered_total subscriber=slow": 8,
        "events_dropped_total subscriber=slow": 12,
        "events_delivered_total subscriber=quick": 10,
        "events_dropped_total subscriber=quick": 0
      })
    }).pipe(Effect.scoped, Effect.provide(EventBus.layer)))
})
