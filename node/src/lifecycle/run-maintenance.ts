import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Chain, type EngineFailure } from "../chain/chain.ts"
import { chainLayer } from "../chain/start-chain.ts"
import type { NodeConfig } from "../config/config.ts"
import type { EngineNews, EngineRefusal } from "../engine/calls/engine-calls.ts"
import { EventBus } from "../events/event-bus.ts"
import { logLayer } from "../log/log-layer.ts"
import { openDataDirectory } from "../storage/data-directory/open-data-directory.ts"
import type { StorageError } from "../storage/storage-error.ts"
import { demandChain } from "./demand-chain.ts"
import { engineOptionsOf } from "./engine-options-of.ts"
import type { MaintenanceProgress, MaintenanceTask } from "./maintenance-task.ts"
import { NodeFailure } from "./node-failure.ts"
import { relayNews } from "./relay-news.ts"
import { Shutdown } from "./shutdown.ts"

type Report = (progress: MaintenanceProgress) => void

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`

const perform = (chain: Chain["Service"], task: MaintenanceTask): Effect.Effect<string, EngineRefusal | EngineFailure | NodeFailure> => {
  switch (task._tag) {
    case "Import":
      return Effect.map(chain.call("importFiles", { paths: task.files }), ({ blocks, waiting }) =>
        `${count(blocks, "block", "blocks")} taken in` +
        (waiting === 0 ? "" : `; ${count(waiting, "block waits", "blocks wait")} for a parent that is in none of the files`))
    case "Rebuild":
      // Waits for the files that are read in place.
      return Effect.map(chain.call("importFiles", { paths: [] }), () => `the chain is made again up to height ${chain.state()?.height ?? 0}`)
    case "Verify":
      return Effect.flatMap(chain.call("verifyChain", { level: task.level, blocks: task.blocks }), ({ problem, valid }) =>
        valid
          ? Effect.succeed("the chain holds")
          : Effect.fail(new NodeFailure({ message: `the chain does not hold: ${problem ?? "no reason given"}` })))
  }
}

const relay = (report: Report, fail: (message: string) => Effect.Effect<void>) =>
  Effect.fnUntraced(function*(news: EngineNews) {
    if (news._tag === "Progress") return report(news)
    if (news._tag === "Fatal") return yield* fail(news.message)
    return yield* relayNews(news, yield* EventBus, yield* Shutdown)
  })

const program = Effect.fnUntraced(function*(config: NodeConfig, task: MaintenanceTask, report: Report) {
  const scope = yield* Effect.scope
  const shutdown = yield* Shutdown
  // A rebuild may read the blocks of another directory.
  if (task._tag !== "Rebuild" || config.storage.referenceBlocks === undefined) yield* demandChain(config.dataDirectory, task)
  yield* openDataDirectory({ directory: config.dataDirectory, network: config.network })
  const options = { ...engineOptionsOf(config), ...(task._tag === "Rebuild" ? { rebuild: true } : {}) }
  const chain = Context.get(yield* Layer.buildWithScope(chainLayer(options), scope), Chain)
  yield* chain.news.pipe(
    Stream.runForEach(relay(report, (message) => shutdown.request("error", message))),
    Effect.forkIn(scope, { startImmediately: true })
  )
  const work = Effect.andThen(chain.ready, perform(chain, task))
  const stopped = Effect.flatMap(shutdown.requested, ({ message }) =>
    Effect.fail(new NodeFailure({ message: message ?? "stopped" })))
  const summary = yield* Effect.raceFirst(work, stopped)
  yield* chain.call("flush", undefined)
  return summary
})

const quiet = (config: NodeConfig): NodeConfig["logging"] =>
  config.logging.level === "info" ? { ...config.logging, level: "warn", format: "human" } : config.logging

/**
 * Works on the chain of a node that is not running, and yields what was done in a sentence. An interrupt leaves what was
 * committed.
 */
export const runMaintenance = (
  config: NodeConfig,
  task: MaintenanceTask,
  report: Report
): Effect.Effect<string, NodeFailure> =>
  program(config, task, report).pipe(
    Effect.scoped,
    Effect.provide(Layer.mergeAll(EventBus.layer, Shutdown.layer, logLayer(quiet(config)))),
    Effect.mapError((error: NodeFailure | StorageError | EngineFailure | EngineRefusal) => new NodeFailure({ message: error.message }))
  )

