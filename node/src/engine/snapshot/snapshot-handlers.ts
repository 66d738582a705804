import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { ensuring } from "../../finalizers/finalizers.ts"
import type { EngineFault } from "../api/engine-error.ts"
import { engineFaultText } from "../api/fault-text.ts"
import type { Handlers } from "../api/handler.ts"
import type { Background } from "../chainstate/background.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { isEnding } from "../state/engine-status.ts"
import { asFault, breakDown } from "../chainstate/faults.ts"
import type { Writer } from "../chainstate/writer.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import { notifyLog } from "../notify/notifications.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import { connectAllHistorical } from "./background-validation.ts"
import { compareCoins } from "./confirm-snapshot.ts"
import { removeLeftoverCoins } from "./leftover-coins.ts"
import { loadSnapshot } from "./load-snapshot.ts"

/** Loads snapshots, and confirms them in the background. */
export interface Snapshots {
  readonly handlers: Handlers<"loadCoins">
  /** Connects the stored blocks of the background chain, and waits for the comparison of the coins that follows. */
  readonly settled: Effect.Effect<void>
  /** Continues the background validation of the last run. */
  readonly background: Effect.Effect<void>
}

/** Runs work without a caller: a disk failure ends all changes, as in a turn of the writer. */
const guarded = (
  engine: ChainEngine,
  work: Effect.Effect<unknown, StorageError | EngineFault>
): Effect.Effect<void> =>
  Effect.catch(Effect.asVoid(work), (error) =>
    Effect.sync(() => {
      if (isEnding(engine)) return
      if (error._tag === "StorageError") return void breakDown(engine, error.message)
      notifyLog(engine, "warn", "[snapshot] work on a snapshot waits for the next start", {
        cause: engineFaultText(error)
      })
    }))

export const snapshots = (
  engine: ChainEngine,
  writer: Writer,
  background: Background,
  mempool: TxMempool | undefined
): Snapshots => {
  /** Held by every writer to the unused set of coins. */
  const otherCoins = Semaphore.makeUnsafe(1)

  const cleanUp = otherCoins.withPermit(Effect.gen(function*() {
    if (!engine.chainstates.hasLeftover) return
    yield* removeLeftoverCoins(engine)
    yield* writer.change(Effect.sync(() => {
      engine.chainstates.hasLeftover = false
      engine.dirty = true
    }))
  }))

  const startCleanUp = Effect.sync(() => background.start(guarded(engine, cleanUp)))

  /** Starts the comparison of the coins as soon as the background chain is at the base. */
  const watch = (): void => {
    const { snapshot } = engine
    const behind = snapshot?.background
    if (snapshot === undefined || behind === undefined) return
    snapshot.whenReached = () => {
      const ended = Deferred.makeUnsafe<void>()
      snapshot.comparison = Deferred.await(ended)
      const compare = Effect.andThen(guarded(engine, compareCoins(engine, writer, snapshot, behind)), startCleanUp)
      background.start(ensuring(compare, Deferred.succeed(ended, undefined)))
    }
    if (behind.tip === snapshot.base) snapshot.whenReached()
  }

  /** Connects the stored blocks of the background chain. */
  const goOn = Effect.gen(function*() {
    while (yield* writer.change(connectAllHistorical(engine, writer.isWanted)));
  })

  const load = (file: string) =>
    Effect.gen(function*() {
      const { base, coins } = yield* loadSnapshot({ engine, writer, mempool, file })
      watch()
      mempool?.tipChanged()
      background.start(guarded(engine, goOn))
      return { coins, block: base.hash.slice(), height: base.height }
    })

  return {
    handlers: {
      loadCoins: ({ file }) =>
        otherCoins.withPermit(asFault(load(file))).pipe(
          Effect.tapError(() => startCleanUp)
        )
    },
    settled: Effect.suspend(() =>
      engine.snapshot?.background === undefined
        ? Effect.void
        : Effect.andThen(guarded(engine, goOn), Effect.suspend(() => engine.snapshot?.comparison ?? Effect.void))
    ),
    background: Effect.suspend(() => {
      watch()
      const isBehind = engine.snapshot?.background !== undefined
      return guarded(engine, isBehind ? Effect.andThen(cleanUp, goOn) : cleanUp)
    })
  }
}
