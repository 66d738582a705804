import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { monotonicClock, wallClock } from "../clock.ts"
import { Chain } from "../engine-client/chain.ts"
import type { NodeConfig } from "../config/config.ts"
import {
  type Milliseconds,
  type UnixMilliseconds,
  type UnixSeconds,
  secondsOf,
  unixMilliseconds,
  unixSeconds
} from "../quantities.ts"
import { EventBus } from "../events/event-bus.ts"
import { RunningNetwork } from "../p2p/layer/running-network.ts"
import { StartupStage } from "../runtime/startup-stage.ts"
import { Metrics } from "../metrics/metrics.ts"
import { sample } from "../metrics/sample.ts"
import { type Component, COMPONENTS, isWorse } from "./component-health.ts"
import { type HealthReport, healthReport, statusLevel } from "./health-report.ts"
import { type HealthFacts, JUDGES, OLD_TIP_SECONDS } from "./judge.ts"
import { processorUse, readProcessors } from "./processor-use.ts"
import { resourceWatch, usesOf } from "./resource-limits.ts"
import { settle, type Settled } from "./hysteresis.ts"
import { MEBIBYTE } from "../units.ts"

type CheckType = "startup" | "periodic" | "manual"

/** Checks the node from time to time, and on request. */
export class Health extends Context.Service<Health, {
  /** Returns the report of the last check. */
  readonly latest: () => HealthReport
  /** Reports whether the node has started, has caught up, and can do its work. */
  readonly isReady: () => boolean
  /** Checks now, unless the last check was a moment ago, and publishes the result as the event `HealthCheck`. */
  readonly check: (type: CheckType) => Effect.Effect<HealthReport>
  /** Makes each later check include the troubles of modules. */
  readonly watchModules: (troubles: () => ReadonlyArray<string>) => void
}>()("@node/health/Health") {}

const LOOK_INTERVAL = "10 seconds"
/** Number of checks for each one that is published as an event. */
const LOOKS_PER_EVENT = 6
/** Milliseconds within which a request gets the last report. */
const FRESH_MS = 1_000

const NO_TROUBLES = (): ReadonlyArray<string> => []

const logChange = (component: Component, before: Settled | undefined, now: Settled): Effect.Effect<void> => {
  if ((before?.status ?? "Healthy") === now.status) return Effect.void
  const log = isWorse(now.status, before?.status ?? "Healthy") ? Effect.logWarning : Effect.logInfo
  return log("the health of a component changed").pipe(
    Effect.annotateLogs({ category: "health", component, status: now.status, reason: now.reason ?? "none" })
  )
}

const health = Effect.fnUntraced(function*(config: NodeConfig) {
  const [chain, bus, metrics, stage] = [yield* Chain, yield* EventBus, yield* Metrics, yield* StartupStage]
  const running = yield* Effect.serviceOption(RunningNetwork)
  let moduleTroubles = NO_TROUBLES
  const isRegtest = config.network === "regtest"
  const settled = new Map<Component, Settled>()
  const started = unixMilliseconds(yield* Clock.currentTimeMillis)
  const wallNow = yield* wallClock
  const processors = processorUse(readProcessors(yield* monotonicClock))
  const closeToLimits = resourceWatch()
  let checked = unixMilliseconds(0)
  let responseTime: Milliseconds | undefined

  const networkNow = (): HealthFacts["network"] => {
    const network = Option.isNone(running) ? undefined : running.value.current()
    if (network === undefined) return undefined
    let peers = 0
    for (const { isGone, isReady, kind } of network.peers.values()) {
      if (isReady && !isGone && kind !== "private-broadcast") peers++
    }
    const unreachable = network.connections.manual.list().flatMap(({ failure, text }) =>
      failure === undefined ? [] : [{ node: text, reason: failure }]
    )
    return {
      isActive: network.connections.isActive(),
      peers,
      maximum: config.peers.maximum,
      unreachable,
      notice: network.foreignChains.notice()
    }
  }

  const chainTime = (time: UnixMilliseconds): UnixSeconds => unixSeconds(chain.state()?.mockTime || secondsOf(time))

  const factsAt = (time: UnixMilliseconds): Effect.Effect<HealthFacts> =>
    Effect.map(metrics.facts, (facts) => ({
      ...facts,
      isRegtest,
      stage: stage.current(),
      now: chainTime(time),
      network: networkNow(),
      modules: moduleTroubles(),
      minimumFreeBytes: config.storage.minimumFreeMegabytes * MEBIBYTE,
      rpc: {
        inFlight: metrics.calls.inFlight(),
        capacity: config.rpc.limits.workQueue,
        overloads: metrics.calls.overloads()
      }
    }))

  const look: Effect.Effect<void> = Effect.gen(function*() {
    const facts = yield* factsAt(unixMilliseconds(yield* Clock.currentTimeMillis))
    const now = unixMilliseconds(yield* Clock.currentTimeMillis)
    checked = now
    responseTime = facts.engine._tag === "Answered" ? facts.engine.milliseconds : undefined
    for (const component of COMPONENTS) {
      const before = settled.get(component)
      const after = settle(before, JUDGES[component](facts), now)
      settled.set(component, after)
      yield* logChange(component, before, after)
    }
    for (const warning of closeToLimits(usesOf(facts, processors()))) {
      yield* Effect.logWarning("a resource is close to its limit").pipe(
        Effect.annotateLogs({ category: "health", ...warning })
      )
      yield* bus.publish("ResourceLimitWarning", warning)
    }
  })

  const starting = (): HealthReport => {
    const message = `starting: ${stage.current() ?? "opening the chain"}`
    const judged: Settled = {
      status: "Degraded",
      reason: message,
      flickers: false,
      since: started,
      betterSince: undefined
    }
    return healthReport(new Map([["chain", judged]]), started, undefined)
  }

  const latest = (): HealthReport => settled.size === 0 ? starting() : healthReport(settled, checked, responseTime)

  const publish = (type: CheckType): Effect.Effect<HealthReport> =>
    Effect.suspend(() => {
      const report = latest()
      const payload = {
        check_type: type,
        node_healthy: report.overall_status === "Healthy",
        health_report: JSON.stringify(report)
      }
      return Effect.as(bus.publish("HealthCheck", payload), report)
    })

  const check = (type: CheckType): Effect.Effect<HealthReport> =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => type === "manual" && now - checked < FRESH_MS ? Effect.sync(latest) : Effect.andThen(look, publish(type))
    )

  const isReady = (): boolean => {
    const state = chain.state()
    if (state === undefined || stage.current() !== undefined) return false
    const { overall_status: status } = latest()
    if (status === "Unhealthy" || status === "Down") return false
    return isRegtest ||
      ((networkNow()?.peers ?? 0) > 0 && !state.initialBlockDownload &&
        chainTime(wallNow()) - state.time < OLD_TIP_SECONDS)
  }

  let looks = 0
  const lookAgain = Effect.suspend(() =>
    stage.current() === undefined && ++looks % LOOKS_PER_EVENT === 0 ? check("periodic") : look
  )
  yield* Effect.sleep(LOOK_INTERVAL).pipe(
    Effect.andThen(lookAgain),
    Effect.repeat(Schedule.forever),
    Effect.forkScoped
  )
  metrics.addSource(() =>
    [...settled].map(([component, { status }]) => sample("lockstep_health_status", statusLevel(status), { component }))
  )
  const watchModules = (troubles: () => ReadonlyArray<string>): void => {
    moduleTroubles = troubles
  }
  return Health.of({ latest, isReady, check, watchModules })
})

/** Watches the node of this configuration as long as the layer lives. */
export const healthLayer = (
  config: NodeConfig
): Layer.Layer<Health, never, Chain | EventBus | Metrics | StartupStage> => Layer.effect(Health, health(config))
