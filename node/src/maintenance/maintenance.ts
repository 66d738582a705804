import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { MaintenanceCalls } from "../engine/api/maintenance-calls.ts"
import type { EngineFault, QueryError } from "../engine/api/engine-error.ts"
import { engineFaultText } from "../engine/api/fault-text.ts"
import { isEnding } from "../engine/state/engine-status.ts"
import type { ChainEngine } from "../engine/state/chain-engine.ts"
import type { MakeExtension } from "../engine/chainstate/extension.ts"
import { HeaderStatus } from "../engine/header-index/header-status.ts"
import { prunedHeight } from "../engine/header-index/pruned-height.ts"
import { has } from "../engine/header-index/header-index.ts"
import { blocksDirectoryOf } from "../engine/host/open-engine.ts"
import { notifyEvent, notifyLog } from "../engine/notify/notifications.ts"
import type { Writer } from "../engine/chainstate/writer.ts"
import type { BlockFileInfo } from "../storage/block-files/block-files.ts"
import { KeySpace, namedKey, numberedKey } from "../storage/key-space.ts"
import { StorageError } from "../storage/storage-error.ts"
import { ADOPTED, encodeAdoptRecord } from "./existing-files-record.ts"
import { indexExistingFiles, findFilesToAdopt } from "./index-existing-files.ts"
import { importFiles } from "./import-files.ts"
import { pruneFiles, type PruneReason } from "./prune.ts"
import {
  filesToPruneNow,
  filesUpTo,
  highestToPrune,
  MIN_BLOCKS_TO_KEEP,
  pruneAfterHeight,
  type PruneSituation,
  pruneTargetNow
} from "./prune-choice.ts"
import type { ImportSummary } from "./import-sources.ts"
import { verifyChain } from "./verify-chain.ts"
import { asTyped } from "../typed-command.ts"

/** Interval between checks whether to prune. */
const PRUNE_INTERVAL = Duration.seconds(1)
/** Number of blocks that indexes which are behind may have to read again. */
const INDEX_MARGIN = 10

const prunedBefore = (directory: string): StorageError =>
  new StorageError({
    part: "block-files",
    operation: "start",
    reason: "missing",
    path: directory,
    message:
      `Old blocks in ${directory} were removed by pruning, and pruning is switched off now. Switch it on again, ` +
      `or run ${asTyped("rebuild")}, after which all blocks are fetched again.`
  })

const situationOf = (engine: ChainEngine, held: ReadonlySet<number>): PruneSituation => {
  const { files, hooks, initialBlockDownload, snapshot, tree } = engine
  const behind = snapshot?.background
  const needed = hooks.map(({ neededFrom }) => neededFrom?.() ?? Number.POSITIVE_INFINITY)
  return {
    tipHeight: tree.tip.height,
    headersHeight: tree.bestHeader.height,
    initialBlockDownload,
    highestUnneeded: Math.min(...needed) - 1 - INDEX_MARGIN,
    held: new Set([...held, ...files.written()]),
    background: behind && { from: behind.tip.height - MIN_BLOCKS_TO_KEEP + 1, to: snapshot!.base.height }
  }
}

/** Logs how far indexes allow pruning, as Core's `FlushStateToDisk` does. */
const logIndexLimit = (engine: ChainEngine): void => {
  const { hooks, tree: { tip } } = engine
  const reached = hooks.flatMap(({ neededFrom }) =>
    neededFrom === undefined ? [] : [(neededFrom() ?? tip.height + 1) - 1]
  )
  if (reached.length === 0) return
  const height = Math.max(1, Math.min(...reached) - INDEX_MARGIN - 1)
  notifyLog(engine, "debug", "Pruning is limited by an index", { height })
}

type PruneError = QueryError<"PruningDisabled" | "ChainTooShortToPrune">

const whyNotPrune = ({ network, options, tree }: ChainEngine): PruneError | undefined => {
  if (options.pruning._tag === "Disabled") {
    return { _tag: "PruningDisabled" }
  }
  const { height } = tree.tip
  const lowest = pruneAfterHeight(network)
  return height < lowest ? { _tag: "ChainTooShortToPrune", height, pruneAfterHeight: lowest } : undefined
}

/** Prunes automatically according to the configuration. Never ends. */
const pruneNowAndThen = (
  engine: ChainEngine,
  writer: Writer,
  held: ReadonlySet<number>,
  retired: Set<number>
): Effect.Effect<void> => {
  const { files, network, options } = engine
  const chosen = (): ReadonlyArray<BlockFileInfo> =>
    filesToPruneNow(files.info(), options.pruning, network, situationOf(engine, held))
  const reasonNow = (): PruneReason => {
    const situation = situationOf(engine, held)
    const highest = highestToPrune(situation.tipHeight, situation)
    const { pruning } = options
    return pruning._tag === "TargetSize" ? { highest, target: pruneTargetNow(pruning.bytes, situation) } : { highest }
  }
  const look = Effect.suspend(() =>
    chosen().length === 0 || isEnding(engine)
      ? Effect.void
      // The writer reports a failing disk; other failures are tried again at the next check.
      : Effect.ignore(writer.change(Effect.suspend(() => {
        // Others may have had their turn since.
        const still = chosen()
        return still.length === 0 ? Effect.void : pruneFiles(engine, still, retired, reasonNow())
      })))
  )
  return Effect.forever(Effect.andThen(Effect.sleep(PRUNE_INTERVAL), look))
}

const isAutomatic = ({ options: { pruning } }: ChainEngine): boolean =>
  pruning._tag === "TargetSize" || pruning._tag === "KeepBlocks"

/**
 * Maintains the block files: import, files read in place at the start (the node's own in a rebuild, or Bitcoin Core's),
 * pruning, and chain verification. `importFiles` without paths waits for the files of the start.
 */
export const maintenance: MakeExtension<keyof MaintenanceCalls> = Effect.fn("maintenance.make")(
  function*(engine, writer) {
    const { options, tree } = engine
    const blocks = blocksDirectoryOf(options)
    if (options.pruning._tag === "Disabled" && tree.nodes.some((node) => has(tree, node, HeaderStatus.PRUNED))) {
      return yield* prunedBefore(blocks)
    }
    const adoption = yield* findFilesToAdopt(engine, blocks)
    const adopted = yield* Deferred.make<ImportSummary, EngineFault>()
    /** Files that the next commit removes from the store. */
    const retired = new Set<number>()

    const adopting = yield* indexExistingFiles(engine, writer, adoption)
    const notifyEarlyEnd = <A>(work: Effect.Effect<A, EngineFault>): Effect.Effect<A, EngineFault> =>
      Effect.tapError(work, (fault) =>
        Effect.sync(() => {
          if (engine.status._tag !== "Closing") {
            notifyLog(engine, "error", "Taking in block files ended early; it goes on at the next start", {
              cause: engineFaultText(fault)
            })
          }
        }))
    const adopt = notifyEarlyEnd(adopting.take).pipe(
      Effect.exit,
      Effect.flatMap((exit) => Deferred.done(adopted, exit))
    )

    return {
      hooks: [{
        writeChanges: (batch) => {
          for (const file of retired) batch.remove(numberedKey(KeySpace.blockFile, file))
          if (adoption.files.length > 0) {
            batch.put(namedKey(KeySpace.meta, ADOPTED), encodeAdoptRecord(adoption.record()))
          }
        },
        committed: () => retired.clear()
      }],
      handlers: {
        verifyChain: ({ blocks: depth, level }) => writer.alone(verifyChain(engine, level, depth)),
        pruneTo: ({ height }) =>
          writer.change(Effect.gen(function*() {
            const error = whyNotPrune(engine)
            if (error !== undefined) return yield* Effect.fail(error)
            logIndexLimit(engine)
            notifyEvent(engine, "DataMaintenance", { operation: "cleanup", urgency: "medium", reason: "manual" })
            const situation = situationOf(engine, adoption.pending)
            const files = filesUpTo(engine.files.info(), height, situation)
            yield* pruneFiles(engine, files, retired, { highest: highestToPrune(height, situation) })
            return prunedHeight(engine.tree)
          })),
        importFiles: ({ paths }) => paths.length === 0 ? Deferred.await(adopted) : importFiles(engine, writer, paths)
      },
      ...(adoption.isShort ? { first: adopt } : {}),
      background: Effect.gen(function*() {
        if (!adoption.isShort) yield* adopt
        // An early end is in the log; pruning continues.
        const follow = Effect.ignore(notifyEarlyEnd(adopting.follow))
        const prune = isAutomatic(engine) ? pruneNowAndThen(engine, writer, adoption.pending, retired) : Effect.void
        yield* Effect.all([follow, prune], { concurrency: "unbounded", discard: true })
      })
    }
  }
)
