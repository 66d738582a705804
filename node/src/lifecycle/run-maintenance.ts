import type { Height } from "@lockstep/kernel/quantities"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { Chain, type EngineFailure, failureText } from "../engine-client/chain.ts"
import { chainLayer } from "../engine-client/start-chain.ts"
import type { NodeConfig } from "../config/config.ts"
import { NETWORK_TABLE } from "../config/network-table.ts"
import type { EngineFault } from "../engine/api/engine-error.ts"
import { EventBus } from "../events/event-bus.ts"
import { logLayer } from "../log/log-layer.ts"
import type { ImportSummary } from "../maintenance/import-sources.ts"
import { openDataDirectory } from "../storage/data-directory/open-data-directory.ts"
import type { StorageError } from "../storage/storage-error.ts"
import { requireChain } from "./require-chain.ts"
import { exitImmediately } from "./exit-immediately.ts"
import { type CrashWitness, crashWitness } from "./crash-witness.ts"
import { engineOptionsOf } from "./engine-options-of.ts"
import type { MaintenanceProgress, MaintenanceTask } from "./maintenance-task.ts"
import { NodeFailure } from "./node-failure.ts"
import { relayNotifications } from "./relay-notifications.ts"
import { Shutdown } from "../runtime/shutdown.ts"
import { handleSignals } from "./signals.ts"

type Report = (progress: MaintenanceProgress) => void

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`

/** Result of a task. `problem` is set if the task ran to its end and found a fault. */
interface Outcome {
  readonly summary: string
  readonly problem?: string
}

/** Lists files without any usable block, one a line. */
const nothingIn = (files: ReadonlyArray<string>, { network }: NodeConfig): string =>
  files.map((file) => `${file}: holds no block of ${NETWORK_TABLE[network].option} that can be taken in`).join("\n")

const ofImport = (config: NodeConfig, { blocks, waiting, withoutBlocks }: ImportSummary): Outcome => {
  const summary = `${count(blocks, "block", "blocks")} taken in` +
    (waiting === 0 ? "" : `; ${count(waiting, "block waits", "blocks wait")} for a parent that is in none of the files`)
  if (withoutBlocks.length === 0) return { summary }
  const nothing = nothingIn(withoutBlocks, config)
  return { summary, problem: blocks + waiting === 0 ? nothing : `${summary}\n${nothing}` }
}

const ofRebuild = (config: NodeConfig, height: Height, { blocks, withoutBlocks }: ImportSummary): Outcome => {
  const summary = `the chain is made again up to height ${height}`
  return blocks > 0 || height > 0 || withoutBlocks.length === 0
    ? { summary }
    : { summary, problem: nothingIn(withoutBlocks, config) }
}

const perform = (
  config: NodeConfig,
  chain: Chain["Service"],
  task: MaintenanceTask
): Effect.Effect<Outcome, EngineFault | EngineFailure | NodeFailure> => {
  switch (task._tag) {
    case "Import":
      return Effect.map(chain.call("importFiles", { paths: task.files }), (summary) => ofImport(config, summary))
    case "Rebuild":
      // Waits for the files that are read in place.
      return Effect.map(
        chain.call("importFiles", { paths: [] }),
        (summary) => ofRebuild(config, chain.state()?.height ?? 0, summary)
      )
    case "Verify":
      return Effect.flatMap(
        chain.call("verifyChain", { level: task.level, blocks: task.blocks }),
        ({ problem, valid }) =>
          valid
            ? Effect.succeed({ summary: "the chain holds" })
            : Effect.fail(new NodeFailure({ message: `the chain does not hold: ${problem ?? "no reason given"}` }))
      )
  }
}

/** Relays the engine's notifications while their message is handled. */
const relay = Effect.fnUntraced(
  function*(chain: Chain["Service"], report: Report): Effect.fn.Return<void, never, EventBus | Shutdown> {
    const [bus, shutdown] = [yield* EventBus, yield* Shutdown]
    const run = Effect.runForkWith(yield* Effect.context<never>())
    chain.subscribe((notification) =>
      notification._tag === "Progress"
        ? report(notification)
        : void run(relayNotifications(notification, bus, shutdown))
    )
  }
)

/** Consequence of a stop for each task. */
const STOPPED: Readonly<Record<MaintenanceTask["_tag"], string>> = {
  Import: "the import was stopped by {signal}: what was taken in is kept, and the same command goes on from there",
  Rebuild:
    "the rebuild was stopped by {signal}: the next start goes on with it, or goes on with the chain as it was if the rebuild had not begun",
  Verify: "the verification was stopped by {signal} before its end: the part that was looked at holds"
}

/** Flushes the engine. Returns a further line if it could not write everything. */
const lossAtStop = (chain: Chain["Service"]): Effect.Effect<string> =>
  chain.call("close", undefined).pipe(
    Effect.as(""),
    Effect.catch((failure) =>
      Effect.succeed(`\nwhat changed since the last commit could not be written: ${failureText(failure)}`)
    )
  )

const program = Effect.fnUntraced(function*(
  config: NodeConfig,
  task: MaintenanceTask,
  report: Report,
  witness: CrashWitness
) {
  const scope = yield* Effect.scope
  const shutdown = yield* Shutdown
  yield* handleSignals({
    stop: (reason, signal) => shutdown.request(reason, STOPPED[task._tag].replace("{signal}", signal)),
    hangUp: Effect.void,
    force: (exitCode) => {
      witness.dismiss()
      exitImmediately(exitCode)
    }
  })
  // A rebuild may read the blocks of another directory.
  if (task._tag !== "Rebuild" || config.storage.coreBlocks === undefined) {
    yield* requireChain(config.dataDirectory, task)
  }
  yield* openDataDirectory({ directory: config.dataDirectory, network: config.network })
  const options = { ...engineOptionsOf(config), ...(task._tag === "Rebuild" ? { rebuild: true } : {}) }
  const chain = Context.get(yield* Layer.buildWithScope(chainLayer(options), scope), Chain)
  yield* relay(chain, report)
  const work = chain.ready.pipe(
    Effect.andThen(perform(config, chain, task)),
    Effect.tap(() => chain.call("flush", undefined)),
    Effect.flatMap(({ problem, summary }) =>
      problem === undefined ? Effect.succeed(summary) : Effect.fail(new NodeFailure({ message: problem }))
    )
  )
  // The stop itself ends the work, so its error is not shown.
  const ended = yield* Effect.raceFirst(Effect.exit(work), shutdown.requested)
  if (Exit.isExit(ended)) return yield* ended
  const halted = chain.state()?.halted
  const loss = ended.reason === "signal" ? yield* lossAtStop(chain) : ""
  const waited = loss === "" && halted !== undefined ? `\nit waited for room on the disk: ${halted}` : ""
  return yield* new NodeFailure({ message: `${ended.message ?? "stopped"}${loss}${waited}` })
})

const quiet = (config: NodeConfig): NodeConfig["logging"] =>
  config.logging.level === "info" ? { ...config.logging, level: "warn", format: "human" } : config.logging

/**
 * Runs a task on the chain of a node that is not running. Yields a sentence about its result. An interrupt keeps
 * everything committed.
 */
export const runMaintenance = (
  config: NodeConfig,
  task: MaintenanceTask,
  report: Report
): Effect.Effect<string, NodeFailure> =>
  crashWitness().pipe(
    Effect.flatMap((witness) =>
      program(config, task, report, witness).pipe(
        Effect.scoped,
        Effect.provide(Layer.mergeAll(EventBus.layer, Shutdown.layer, logLayer(quiet(config), witness.note)))
      )
    ),
    Effect.scoped,
    Effect.mapError((error: NodeFailure | StorageError | EngineFailure | EngineFault) =>
      new NodeFailure({ message: failureText(error) })
    )
  )
