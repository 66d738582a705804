import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { startChain } from "../../src/engine-client/start-chain.ts"
import { callFigures } from "../../src/metrics/call-figures.ts"
import { type MetricFacts, METRICS } from "../../src/metrics/catalogue.ts"
import { histogramOf, observe } from "../../src/figures/histogram.ts"
import { prometheusText } from "../../src/metrics/prometheus-text.ts"
import { sample } from "../../src/metrics/sample.ts"
import { readJson } from "../../src/json/read-json.ts"
import { METHODS } from "../../src/methods/table.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { regtestOptions } from "../engine/test-engine.ts"
import { fakeChain } from "../rpc/fake-chain.ts"
import { basic, bearer, exchange } from "../rpc/http-exchange.ts"
import { fits } from "../rpc/result-fits.ts"
import { ask } from "../rpc/rpc-client.ts"
import { testServer } from "../rpc/test-server.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const NETWORK: ReadonlySet<string> = new Set([
  "lockstep_peers",
  "lockstep_peers_by_transport",
  "lockstep_peers_by_network",
  "lockstep_hidden_service_up",
  "lockstep_private_broadcast_transactions",
  "lockstep_connections",
  "lockstep_connection_fibers",
  "lockstep_connections_refused_total",
  "lockstep_discouraged_addresses",
  "lockstep_foreign_chain_peers_total",
  "lockstep_network_bytes_total",
  "lockstep_compact_blocks_total",
  "lockstep_compact_block_transactions_total",
  "lockstep_compact_block_requested_bytes_total",
  "lockstep_compact_block_seconds_total",
  "lockstep_compact_blocks_announced_total",
  "lockstep_filters_sent_total",
  "lockstep_peers_with_bloom_filter",
  "lockstep_known_addresses"
])

const FACTS: Readonly<Record<string, MetricFacts>> = METRICS

/** The values of a text in Prometheus' format, by the name with its labels. */
const valuesIn = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => {
      const space = line.lastIndexOf(" ")
      return [line.slice(0, space), Number(line.slice(space + 1))]
    })
  )

/** What a mempool shows while it is empty. */
const MEMPOOL_OPTIONS = new Set(["lockstep_mempool_memory_limit_bytes"])
/** Metrics that are zero, or missing, while nothing is wrong. */
const QUIET = new Set(["lockstep_blocks_rejected_total", "lockstep_events_dropped_total", "lockstep_rpc_refused_total"])

describe("metrics", () => {
  it("are written as Prometheus reads them", () => {
    const durations = histogramOf([0.1, 1])
    for (const seconds of [0.05, 0.1, 0.5, 7]) observe(durations, seconds)
    const text = prometheusText([
      sample("lockstep_rpc_request_seconds", durations, { method: "a\"b\\c\nd" }),
      sample("lockstep_chain_height", 7)
    ])
    const labels = "method=\"a\\\"b\\\\c\\nd\""
    assert.deepStrictEqual(text.split("\n"), [
      `# HELP lockstep_chain_height ${METRICS.lockstep_chain_height.help}`,
      "# TYPE lockstep_chain_height gauge",
      "lockstep_chain_height 7",
      `# HELP lockstep_rpc_request_seconds ${METRICS.lockstep_rpc_request_seconds.help}`,
      "# TYPE lockstep_rpc_request_seconds histogram",
      `lockstep_rpc_request_seconds_bucket{${labels},le="0.1"} 2`,
      `lockstep_rpc_request_seconds_bucket{${labels},le="1"} 3`,
      `lockstep_rpc_request_seconds_bucket{${labels},le="+Inf"} 4`,
      `lockstep_rpc_request_seconds_sum{${labels}} 7.65`,
      `lockstep_rpc_request_seconds_count{${labels}} 4`,
      ""
    ])
  })

  it("have names that say their unit and kind", () => {
    for (const [name, { kind, unit }] of Object.entries(FACTS)) {
      assert.match(name, /^lockstep_[a-z_]+$/)
      assert.strictEqual(name.endsWith("_total"), kind === "counter", name)
      if (unit === "bytes" || unit === "seconds") assert.include(name, `_${unit}`)
    }
  })

  it("forget overloads after a minute", () => {
    let now = 0
    const calls = callFigures(() => now)
    calls.refused("overload")
    calls.refused("rate")
    assert.strictEqual(calls.overloads(), 1)
    now = 60_000
    assert.strictEqual(calls.overloads(), 0)
  })

  it.live("of a node at work are all there, described, and not zero", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const chain = yield* startChain(regtestOptions(directory))
      yield* chain.ready
      const { address, events } = yield* testServer({ directory, chain })
      yield* events.subscribe({ name: "listener" })
      yield* events.publish("NodeShutdownCompleted", { duration_ms: 1 })
      const mined = yield* Effect.promise(() => ask(address, "generatetoaddress", [3, OPEN_ADDRESS]))
      assert.isDefined(mined.result)
      yield* Effect.promise(() => ask(address, "getblockhash", [99]))
      yield* Effect.promise(() => exchange(address, { body: "{}", headers: { authorization: bearer("wrong") } }))
      // Enough garbage for a collection, and a moment for it to be received of.
      assert.isAbove(Array.from({ length: 2_000_000 }, (_, i) => ({ i })).length, 0)
      yield* Effect.sleep("100 millis")
      const read = () =>
        Effect.promise(() =>
          exchange(address, { method: "GET", path: "/metrics", headers: { authorization: basic("u:p") } })
        )
      const answer = yield* read()
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
      const values = valuesIn(answer.body)
      for (const name of Object.keys(METRICS)) {
        const found = [...values].filter(([key]) => new RegExp(`^${name}(_sum|_count|_bucket)?($|\\{)`).test(key))
        if (
          name === "lockstep_rpc_requests_in_flight" || name === "lockstep_event_loop_lag_seconds" || QUIET.has(name)
        ) continue
        // This node has no network layer, and its mempool is empty.
        if (NETWORK.has(name) || (name.startsWith("lockstep_mempool_") && !MEMPOOL_OPTIONS.has(name))) continue
        // It runs no modules, and its blocks have no transactions.
        if (name === "lockstep_modules" || name.startsWith("lockstep_module_")) continue
        if (name === "lockstep_block_scripts_total") continue
        // Nothing was looked up that was not just made, and a commit leaves no change.
        if (name === "lockstep_coin_cache_hit_ratio" || name === "lockstep_coin_cache_changes") continue
        if (name === "lockstep_coin_cache_lookups_total" || name === "lockstep_chain_initial_block_download") continue
        assert.isNotEmpty(found, name)
        assert.isTrue(found.some(([, value]) => value > 0), `${name} is zero`)
        assert.include(answer.body, `# HELP ${name} `)
      }
      assert.strictEqual(values.get("lockstep_chain_height"), 3)
      assert.strictEqual(values.get("lockstep_block_connect_seconds_count"), 3)
      assert.strictEqual(values.get("lockstep_rpc_requests_total{method=\"generatetoaddress\",outcome=\"ok\"}"), 1)
      assert.strictEqual(values.get("lockstep_rpc_requests_total{method=\"getblockhash\",outcome=\"error\"}"), 1)
      assert.strictEqual(values.get("lockstep_rpc_refused_total{reason=\"credentials\"}"), 1)
      assert.strictEqual(values.get("lockstep_health_status{component=\"chain\"}"), 3)
      const body = yield* Effect.promise(() =>
        exchange(address, { body: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getmetrics\"}" })
      )
      const { result } = JSON.parse(body.body) as {
        result: { performance: { blocks_connected: number }; rpc: { requests_total: number } }
      }
      assert.isTrue(fits(METHODS.get("getmetrics")!.result.ast, readJson(JSON.stringify(result))!))
      assert.strictEqual(result.performance.blocks_connected, 3)
      assert.strictEqual(result.rpc.requests_total, 2)
    }))

  it.live("are for callers with credentials where there are any", () =>
    Effect.gen(function*() {
      const get = (address: { host: string; port: number }, headers = {}) =>
        Effect.map(
          Effect.promise(() => exchange(address, { method: "GET", path: "/metrics", headers })),
          ({ status }) => status
        )
      const guarded = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      assert.strictEqual(yield* get(guarded.address), 401)
      assert.strictEqual(yield* get(guarded.address, { authorization: bearer("wrong") }), 401)
      assert.strictEqual(yield* get(guarded.address, { authorization: bearer("normal-token") }), 200)
      const credentials = { tokens: [], adminTokens: [], basic: undefined }
      const open = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain(), credentials })
      assert.strictEqual(yield* get(open.address), 200)
    }))
})

const SUFFIX = /_(bucket|sum|count)$/

describe("what is shown to operators", () => {
  for (const file of ["grafana-dashboard.json", "alerts.yml"]) {
    it(`${file} names only metrics that exist, as what they are`, () => {
      const text = readFileSync(new URL(`../../../docs/operate/${file}`, import.meta.url), "utf8")
      const names = new Set(text.match(/\blockstep_[a-z_]+/g))
      assert.isAbove(names.size, 5)
      for (const name of names) {
        const facts = FACTS[name] ?? FACTS[name.replace(SUFFIX, "")]
        assert.isDefined(facts, `${name} is no metric`)
        assert.strictEqual(
          facts!.kind === "histogram",
          FACTS[name] === undefined,
          `${name}: histograms have _bucket, _sum and _count`
        )
      }
      for (const [, name, labels] of text.matchAll(/\b(lockstep_[a-z_]+)\{([^}]*)\}/g)) {
        const facts = FACTS[name!] ?? FACTS[name!.replace(SUFFIX, "")]!
        for (const [, label] of labels!.matchAll(/([a-z_]+)\s*[=!]~?/g)) {
          assert.include([...facts.labels, "instance", "job", "le"], label, `${name} has no label ${label}`)
        }
      }
    })
  }

  it("grafana-dashboard.json has panels with queries, each once", () => {
    const text = readFileSync(new URL("../../../docs/operate/grafana-dashboard.json", import.meta.url), "utf8")
    const dashboard = JSON.parse(text) as {
      panels: ReadonlyArray<{ id: number; title: string; targets?: ReadonlyArray<{ expr: string }> }>
    }
    assert.strictEqual(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
    for (const { targets, title } of dashboard.panels) assert.isNotEmpty(targets, title)
  })
})
