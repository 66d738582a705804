import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import type { Handlers } from "../api/handler.ts"
import type { MempoolFileCalls } from "../api/mempool-file-calls.ts"
import { engineFaultText } from "../api/fault-text.ts"
import type { Background } from "../chainstate/background.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { isLoadingBlocks } from "../chainstate/loading-blocks.ts"
import { notifyLog } from "../notify/notifications.ts"
import type { MempoolContext } from "./contract.ts"
import { loadMempool, type LoadingParts } from "./load-mempool.ts"
import { readIfThere, readSaved, setAside } from "./saved-file.ts"
import { saveMempool } from "./save-mempool.ts"

/** Keeps a mempool across a restart. */
export interface MempoolPersistence {
  /** Reports whether the file of the last run has been read, or need not be. */
  readonly isLoaded: () => boolean
  readonly handlers: Handlers<keyof MempoolFileCalls>
  /** Begins to load the file of the last run, and waits for its end unless that takes long. */
  readonly first: Effect.Effect<void>
}

const FILE = "mempool.dat"

const pathOf = ({ options: { directory, mempool } }: ChainEngine): string => mempool.file ?? join(directory, FILE)

const LOOK_AGAIN = Duration.seconds(1)

/** Waits until imported blocks are accepted. Before that the tip does not fit the transactions of the file. */
const untilBlocksAreTakenIn = (engine: ChainEngine): Effect.Effect<void> =>
  Effect.suspend(() =>
    isLoadingBlocks(engine) ? Effect.andThen(Effect.sleep(LOOK_AGAIN), untilBlocksAreTakenIn(engine)) : Effect.void
  )

/** The longest that a start waits. A small mempool is loaded before the engine accepts calls; a large one follows. */
const LONGEST_WAIT = Duration.seconds(1)

const AS_IT_WAS = { usesCurrentTime: false, appliesDeltas: true, appliesUnbroadcast: true }

/** Result of loading the file of the last run. */
interface Loaded {
  /** True if the file was read to its end or does not exist. */
  readonly isLoaded: boolean
  /** True if a stop may replace the file. */
  readonly mayReplace: boolean
}

const LOADED: Loaded = { isLoaded: true, mayReplace: true }

/** Loads the file. An invalid file is moved aside. */
const loadSaved = Effect.fnUntraced(function*(parts: LoadingParts, path: string): Effect.fn.Return<Loaded> {
  const { engine } = parts.context
  yield* untilBlocksAreTakenIn(engine)
  const saved = yield* readIfThere(engine, path)
  if (saved === "unreadable") return { isLoaded: true, mayReplace: false }
  if (saved === undefined) {
    notifyLog(engine, "debug", "There is no mempool of the last run")
    return LOADED
  }
  const loaded = yield* Effect.option(Effect.tapError(
    loadMempool(parts, saved.bytes, AS_IT_WAS),
    (fault) =>
      Effect.sync(() => notifyLog(engine, "info", "Loading the mempool ended early", { cause: engineFaultText(fault) }))
  ))
  if (loaded._tag === "None") return { isLoaded: false, mayReplace: false }
  const { counts, fault } = loaded.value
  notifyLog(engine, "info", "The mempool of the last run is loaded", { ...counts })
  if (fault !== undefined) yield* setAside(engine, path, fault)
  return LOADED
})

const saveAtEnd = (context: MempoolContext, path: string): Effect.Effect<void> =>
  Effect.catch(
    saveMempool(context, path),
    ({ message }) =>
      Effect.sync(() => notifyLog(context.engine, "warn", "The mempool could not be saved", { cause: message }))
  )

const handlersOf = (
  parts: LoadingParts,
  path: string,
  isLoaded: () => boolean
): Handlers<keyof MempoolFileCalls> => {
  const { context, context: { engine } } = parts
  return {
    saveMempool: Effect.fnUntraced(function*() {
      if (!isLoaded()) return yield* Effect.fail({ _tag: "MempoolNotLoaded" } as const)
      yield* Effect.catch(saveMempool(context, path), ({ message }) => {
        notifyLog(engine, "warn", "The mempool could not be saved", { cause: message })
        return Effect.fail({ _tag: "MempoolNotSaved", cause: message } as const)
      })
      return { file: path }
    }),
    importMempool: Effect.fnUntraced(function*({ file, ...choice }) {
      if (engine.initialBlockDownload) return yield* Effect.fail({ _tag: "InInitialDownload" } as const)
      const notImported = (cause: string) => {
        notifyLog(engine, "warn", `${file} could not be imported`, { cause })
        return Effect.fail({ _tag: "MempoolNotImported", cause } as const)
      }
      const { bytes } = yield* Effect.catch(readSaved(engine, file), ({ message }) => notImported(message))
      const { counts, fault } = yield* loadMempool(parts, bytes, choice)
      if (fault !== undefined) return yield* notImported(fault)
      notifyLog(engine, "info", "A mempool is imported", { file, ...counts })
    })
  }
}

/**
 * Keeps the mempool across a restart if the settings say so. It is saved when the scope closes, but not before it was
 * loaded. A file that could not be read is never replaced, because the last run's transactions would be lost.
 */
export const mempoolPersistence = Effect.fnUntraced(function*(
  parts: LoadingParts,
  background: Pick<Background, "start">
): Effect.fn.Return<MempoolPersistence, never, Scope.Scope> {
  const { context, context: { engine, settings: { persists } } } = parts
  const path = pathOf(engine)
  let last: Loaded = { isLoaded: false, mayReplace: false }
  yield* addFinalizer(() =>
    // After an internal error the state in memory is unreliable.
    Effect.suspend(() =>
      last.mayReplace && persists && engine.status._tag !== "Broken" ? saveAtEnd(context, path) : Effect.void
    )
  )
  // Without persistence it still shows callers that the stored blocks have been connected.
  const reading = persists ? loadSaved(parts, path) : Effect.as(untilBlocksAreTakenIn(engine), LOADED)
  const load = Effect.map(reading, (loaded) => {
    last = loaded
  })
  return {
    isLoaded: () => last.isLoaded,
    handlers: handlersOf(parts, path, () => last.isLoaded),
    first: Effect.gen(function*() {
      const ended = yield* Deferred.make<void>()
      background.start(Effect.andThen(load, Deferred.succeed(ended, undefined)))
      if (!isLoadingBlocks(engine)) yield* Effect.timeoutOption(Deferred.await(ended), LONGEST_WAIT)
    })
  }
})
