import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { monotonicClock } from "../clock.ts"
import { Chain } from "../engine-client/chain.ts"
import type { NodeConfig } from "../config/config.ts"
import { EventBus } from "../events/event-bus.ts"
import { acquireRelease } from "../finalizers/finalizers.ts"
import { type BlockFigures, blockFigures } from "./block-figures.ts"
import { type CallFigures, callFigures } from "./call-figures.ts"
import { lookingAt, type NodeFacts } from "./facts.ts"
import { RunningNetwork } from "../p2p/layer/running-network.ts"
import { networkSamples } from "./network-samples.ts"
import { eventSamples, factSamples, processSamples } from "./node-samples.ts"
import { type Sample, sample } from "./sample.ts"
import { watchThread } from "../figures/thread-figures.ts"

/** The metrics of the running node. */
export class Metrics extends Context.Service<Metrics, {
  readonly calls: CallFigures
  readonly blocks: BlockFigures
  /** Checks the node now. */
  readonly facts: Effect.Effect<NodeFacts>
  /** Adds a source of samples. */
  readonly addSource: (source: () => ReadonlyArray<Sample>) => void
  /** Collects the samples of all metrics. */
  readonly collect: Effect.Effect<ReadonlyArray<Sample>>
}>()("@node/metrics/Metrics") {}

const metrics = Effect.fnUntraced(function*({ dataDirectory, network }: NodeConfig, version: string) {
  const chain = yield* Chain
  const bus = yield* EventBus
  const running = yield* Effect.serviceOption(RunningNetwork)
  const networkNow = (): ReadonlyArray<Sample> => {
    const others = Option.isNone(running) ? undefined : running.value.current()
    return others === undefined ? [] : networkSamples(others)
  }
  const thread = yield* watchThread
  const now = yield* monotonicClock
  const [calls, blocks] = [callFigures(now), blockFigures()]
  const sources: Array<() => ReadonlyArray<Sample>> = [calls.samples, blocks.samples, processSamples]
  yield* acquireRelease(
    Effect.sync(() =>
      chain.subscribe((notification) => notification._tag === "Event" ? blocks.record(notification.event) : undefined)
    ),
    (stop) => Effect.sync(stop)
  )
  const facts = lookingAt(chain, dataDirectory, thread, now)
  return Metrics.of({
    calls,
    blocks,
    facts,
    addSource: (source) => void sources.push(source),
    collect: Effect.map(facts, (found) => [
      sample("lockstep_info", 1, { network, version }),
      ...factSamples(found),
      ...eventSamples(bus.subscriptions()),
      ...sources.flatMap((source) => source()),
      ...networkNow()
    ])
  })
})

/** Measures the node of this configuration as long as the layer lives. */
export const metricsLayer = (config: NodeConfig, version: string): Layer.Layer<Metrics, never, Chain | EventBus> =>
  Layer.effect(Metrics, metrics(config, version))
