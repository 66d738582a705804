import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ChainState } from "../../src/engine/api/chain-state.ts"
import type { Component, Judgement, Status } from "../../src/health/component-health.ts"
import { type HealthFacts, JUDGES } from "../../src/health/judge.ts"
import { HOLD_MS, settle, type Settled } from "../../src/health/hysteresis.ts"
import { METHODS } from "../../src/methods/table.ts"
import { readJson } from "../../src/json/read-json.ts"
import { fakeChain, STATE } from "../rpc/fake-chain.ts"
import { exchange } from "../rpc/http-exchange.ts"
import { fits } from "../rpc/result-fits.ts"
import { ask } from "../rpc/rpc-client.ts"
import { testServer } from "../rpc/test-server.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { unixMilliseconds, unixSeconds } from "../../src/quantities.ts"
import { MEBIBYTE, thread, WELL } from "./healthy-facts.ts"

const state = (changes: Partial<ChainState>): Partial<HealthFacts> => ({ chain: { ...WELL.chain!, ...changes } })

const lag = (p99: number): Partial<HealthFacts> => ({ main: { ...thread, lag: { median: 0, p99, longest: p99 } } })

const LOST = { node: "192.0.2.1:8333", reason: "no program listens" }

const CASES: ReadonlyArray<
  readonly [component: Component, facts: Partial<HealthFacts>, status: Status, reason: string]
> = [
  ["chain", { stage: "Loading block index…" }, "Degraded", "starting: Loading block index…"],
  ["chain", { chain: undefined }, "Degraded", "starting"],
  ["chain", { engine: { _tag: "Gone", message: "out of memory" } }, "Down", "out of memory"],
  ["chain", { engine: { _tag: "Late", milliseconds: 12_000 } }, "Degraded", "not answered for 12 s"],
  ["chain", { engine: { _tag: "Late", milliseconds: 60_000 } }, "Unhealthy", "not answered for 60 s"],
  ["chain", state({ initialBlockDownload: true, progress: 0.5 }), "Degraded", "catching up: 50.0 %"],
  ["chain", { now: unixSeconds(STATE.time + 7_199) }, "Healthy", ""],
  ["chain", { now: unixSeconds(STATE.time + 7_200) }, "Degraded", "2 hours old"],
  ["chain", { now: unixSeconds(STATE.time + 86_400) }, "Unhealthy", "24 hours old"],
  ["chain", { now: unixSeconds(STATE.time + 86_400), isRegtest: true }, "Healthy", ""],
  ["chain", state({ warnings: ["a warning"] }), "Degraded", "a warning"],
  ["network", {}, "Healthy", ""],
  ["network", { network: { isActive: true, peers: 3, maximum: 125, unreachable: [] } }, "Healthy", ""],
  [
    "network",
    { network: { isActive: true, peers: 3, maximum: 125, unreachable: [], notice: "another chain exists" } },
    "Healthy",
    "another chain exists"
  ],
  [
    "network",
    { network: { isActive: true, peers: 2, maximum: 125, unreachable: [], notice: "another chain exists" } },
    "Degraded",
    "connected to 2 other nodes only; another chain exists"
  ],
  [
    "network",
    {
      network: {
        isActive: true,
        peers: 9,
        maximum: 125,
        unreachable: [{ node: "away", reason: "gone" }],
        notice: "another chain exists"
      }
    },
    "Degraded",
    "cannot connect to away (persistent_peers or addnode): gone; another chain exists"
  ],
  [
    "network",
    { network: { isActive: true, peers: 2, maximum: 125, unreachable: [] } },
    "Degraded",
    "2 other nodes only"
  ],
  ["network", { network: { isActive: true, peers: 0, maximum: 125, unreachable: [] } }, "Unhealthy", "no other node"],
  ["network", { network: { isActive: false, peers: 0, maximum: 125, unreachable: [] } }, "Unhealthy", "switched off"],
  ["network", { network: { isActive: true, peers: 0, maximum: 125, unreachable: [] }, isRegtest: true }, "Healthy", ""],
  [
    "network",
    { network: { isActive: true, peers: 3, maximum: 125, unreachable: [LOST] } },
    "Degraded",
    "cannot connect to 192.0.2.1:8333 (persistent_peers or addnode): no program listens"
  ],
  [
    "network",
    { network: { isActive: true, peers: 3, maximum: 125, unreachable: [LOST, LOST, LOST] } },
    "Degraded",
    "192.0.2.1:8333 and 2 more"
  ],
  [
    "network",
    { network: { isActive: true, peers: 0, maximum: 125, unreachable: [LOST] } },
    "Unhealthy",
    "connected to no other node; cannot connect to 192.0.2.1:8333"
  ],
  [
    "network",
    { network: { isActive: true, peers: 0, maximum: 125, unreachable: [LOST] }, isRegtest: true },
    "Degraded",
    "cannot connect to 192.0.2.1:8333"
  ],
  [
    "network",
    { network: { isActive: false, peers: 0, maximum: 125, unreachable: [LOST] }, isRegtest: true },
    "Healthy",
    ""
  ],
  ["storage", {}, "Healthy", ""],
  ["storage", { disk: undefined }, "Down", "does not answer"],
  ["storage", { disk: { free: 99 * MEBIBYTE, total: 1 } }, "Unhealthy", "99 MiB are free"],
  ["storage", { disk: { free: 199 * MEBIBYTE, total: 1 } }, "Degraded", "199 MiB are free"],
  ["storage", { disk: { free: 200 * MEBIBYTE, total: 1 } }, "Healthy", ""],
  ["modules", {}, "Healthy", ""],
  ["modules", { modules: ["the module a exited with code 3"] }, "Degraded", "the module a exited with code 3"],
  ["rpc", {}, "Healthy", ""],
  ["rpc", { rpc: { inFlight: 8, capacity: 10, overloads: 0 } }, "Degraded", "8 of 10"],
  ["rpc", { rpc: { inFlight: 0, capacity: 10, overloads: 1 } }, "Degraded", "1 requests refused"],
  ["rpc", { rpc: { inFlight: 0, capacity: 10, overloads: 100 } }, "Unhealthy", "100 requests refused"],
  ["process", lag(0.25), "Healthy", ""],
  ["process", lag(0.3), "Degraded", "0.30 s late"],
  ["process", lag(2.1), "Unhealthy", "2.1 s late"],
  ["process", { main: { ...thread, heapUsed: 91 } }, "Degraded", "91.0 %"],
  ["process", { main: { ...thread, heapUsed: 98 } }, "Unhealthy", "98.0 %"]
]

describe("a component is judged by what is seen", () => {
  for (const [component, facts, status, reason] of CASES) {
    it(`${component}: ${status} ${reason} (${Object.keys(facts).join(", ")})`, () => {
      const judged = JUDGES[component]({ ...WELL, ...facts })
      assert.strictEqual(judged.status, status)
      assert.include(judged.reason ?? "", reason)
      assert.strictEqual(judged.reason === undefined, reason === "")
    })
  }
})

const judged = (status: Status, flickers = true): Judgement => ({
  status,
  reason: status === "Healthy" ? undefined : "x",
  flickers
})

/** What counts after looks at these times. */
const after = (
  ...looks: ReadonlyArray<readonly [time: number, look: Judgement]>
): Judgement & { readonly since: number; readonly betterSince: number | undefined } =>
  looks.reduce<Settled | undefined>((before, [time, look]) => settle(before, look, unixMilliseconds(time)), undefined)!

describe("transitions", () => {
  it("worse counts at once", () => {
    assert.deepInclude(after([0, judged("Healthy")], [10, judged("Degraded")]), { status: "Degraded", since: 10 })
    assert.deepInclude(after([0, judged("Degraded")], [10, judged("Down")]), { status: "Down", since: 10 })
  })

  it("better counts when it has lasted", () => {
    const early = after([0, judged("Unhealthy")], [1_000, judged("Healthy")], [HOLD_MS, judged("Healthy")])
    assert.deepInclude(early, { status: "Unhealthy", since: 0, betterSince: 1_000 })
    const late = after([0, judged("Unhealthy")], [1_000, judged("Healthy")], [1_000 + HOLD_MS, judged("Degraded")])
    assert.deepInclude(late, { status: "Degraded", since: 1_000 + HOLD_MS })
  })

  it("a relapse starts the wait anew", () => {
    const relapsed = after([0, judged("Degraded")], [1_000, judged("Healthy")], [2_000, judged("Degraded")], [
      HOLD_MS + 1_500,
      judged("Healthy")
    ])
    assert.deepInclude(relapsed, { status: "Degraded", betterSince: HOLD_MS + 1_500 })
  })

  it("what does not flicker, such as starting, is over at once", () => {
    assert.strictEqual(after([0, judged("Degraded", false)], [1, judged("Healthy")]).status, "Healthy")
  })

  it("a new reason for the same status counts, and its time stays", () => {
    const settled = after([0, judged("Degraded")], [10, { status: "Degraded", reason: "y", flickers: true }])
    assert.deepInclude(settled, { since: 0, reason: "y" })
  })
})

describe("health as others see it", () => {
  it.live("gethealth and /health/detailed are one report, and are published as events", () =>
    Effect.gen(function*() {
      const { address, events } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const received = yield* events.subscribe({ name: "test", types: ["HealthCheck"] })
      yield* Effect.sleep("1100 millis")
      const { result } = yield* Effect.promise(() => ask(address, "gethealth"))
      const detailed = yield* Effect.promise(() => exchange(address, { method: "GET", path: "/health/detailed" }))
      assert.isTrue(fits(METHODS.get("gethealth")!.result.ast, readJson(detailed.body)!))
      assert.deepStrictEqual(JSON.parse(detailed.body), result)
      assert.strictEqual((result as { overall_status: string }).overall_status, "Healthy")
      const observed = yield* received.takeWaiting
      assert.lengthOf(observed, 1)
      assert.deepInclude(observed[0]!.payload, {
        check_type: "manual",
        node_healthy: true,
        health_report: detailed.body
      })
    }))

  it.live("a node that cannot do its work is alive, not healthy and not ready", () =>
    Effect.gen(function*() {
      const gone = fakeChain({
        figures: () => Effect.fail({ _tag: "Broken", cause: "the engine is gone" })
      })
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: gone })
      const get = (path: string) => Effect.promise(() => exchange(address, { method: "GET", path }))
      const [whole, live, ready, detailed] = [
        yield* get("/health"),
        yield* get("/health/live"),
        yield* get("/health/ready"),
        yield* get("/health/detailed")
      ]
      assert.deepStrictEqual([whole.status, live.status, ready.status, detailed.status], [503, 200, 503, 200])
      assert.strictEqual(whole.body, "{\"status\":\"down\",\"service\":\"node\"}")
      assert.strictEqual(live.body, whole.body)
      assert.include(detailed.body, "the engine is gone")
    }))
})
