import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { yieldToEventLoop } from "../engine/options/yield-to-event-loop.ts"
import type { IndexState } from "../engine/api/index-calls.ts"
import type { EngineFault } from "../engine/api/engine-error.ts"
import { engineFaultText } from "../engine/api/fault-text.ts"
import { isEnding } from "../engine/state/engine-status.ts"
import type { ChainEngine } from "../engine/state/chain-engine.ts"
import type { ChainHook, ChainStep } from "../engine/state/chain-hook.ts"
import { loadUndo } from "../engine/validation/disconnect.ts"
import { activeAt, isActive } from "../engine/header-index/active-chain.ts"
import { blockPlace, undoPlace } from "../engine/header-index/block-place.ts"
import { nodeOf } from "../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../engine/header-index/header-index-node.ts"
import { loadBlock } from "../engine/validation/load-block.ts"
import { notifyLog } from "../engine/notify/notifications.ts"
import { asFault } from "../engine/chainstate/faults.ts"
import type { Writer } from "../engine/chainstate/writer.ts"
import type { StorageError } from "../storage/storage-error.ts"
import type { ChainIndex } from "./chain-index.ts"
import { decodeIndexRecord, encodeIndexRecord, indexKey } from "./index-record.ts"

/** Milliseconds of catching up after which calls get their turn. */
const TURN = 25
/** Milliseconds between two log messages of an index that is behind. */
const REPORT_INTERVAL = 10_000
/** Interval and maximum wait for an index that has not processed the tip yet. */
const LEVEL = { every: Duration.millis(2), most: Duration.seconds(2) }
/** Interval at which a blocked index checks whether the chain lets it continue. */
const RETRY = Duration.seconds(5)
/**
 * Milliseconds between commits of an index that catches up. More commits slow it down; fewer repeat more work after a
 * crash.
 */
const COMMIT_INTERVAL = 5_000

/** An index and the chain that it follows. */
export interface Follower {
  readonly hook: ChainHook & { readonly isFull: () => boolean }
  readonly state: () => IndexState
  /**
   * Waits until the index has processed the new tip, which is notified before. An index that is further behind is not
   * waited for (Core: `BlockUntilSyncedToCurrentChain`).
   */
  readonly level: Effect.Effect<void>
  /** Returns the last block that the index has processed, or `undefined` before the first one. */
  readonly position: () => HeaderIndexNode | undefined
  /** Catches up with the chain in small steps, then ends. */
  readonly catchUp: Effect.Effect<void>
  /** Catches up again whenever the index has fallen behind. */
  readonly keepUp: Effect.Effect<never>
}

const NO_UNDO = { spent: [], replaced: [] }

/** Reads a block and its undo data from disk, as they were when it was connected. */
const stepOf = Effect.fnUntraced(
  function*(engine: ChainEngine, node: HeaderIndexNode): Effect.fn.Return<ChainStep, StorageError> {
    const { block, identity } = yield* loadBlock(engine, node)
    const undo = node.height === 0 ? NO_UNDO : yield* loadUndo(engine, node)
    return { node, block, transactionIds: identity.transactionIds, undo }
  }
)

/**
 * Lets an index follow the chain. While it is at the tip it processes every block, and its entries are in the same
 * commit as the chain's. While it is behind, as after it was switched on, it reads blocks and undo data from disk
 * between the calls. Its entries are then written with the next commit. So it is never ahead of the chain on disk, and
 * resumes from its last commit.
 */
export const followChain = Effect.fnUntraced(function*(
  engine: ChainEngine,
  writer: Writer,
  index: ChainIndex
): Effect.fn.Return<Follower, StorageError> {
  const { clock, options, store, tree } = engine
  const key = indexKey(index.name)
  const record = decodeIndexRecord(yield* store.get(key))
  let position = record === undefined ? undefined : nodeOf(tree, record.block)
  if (record !== undefined && position !== undefined && !index.restore(record.state)) position = undefined
  let isChanged = false
  let failure: string | undefined
  const behind = yield* Latch.make(false)

  /** Loads the state that the index needs to resume at its position. */
  const remember = Effect.suspend(() =>
    position === undefined || index.memory === undefined || index.memory.has(position)
      ? Effect.void
      : index.memory.read(position, store)
  )

  /** Processes a block. An error of the index does not stop the chain: the index falls behind. */
  const along = (step: ChainStep, direction: "connected" | "disconnected"): void => {
    if (failure !== undefined) return
    try {
      index[direction](step)
      position = direction === "connected" ? step.node : step.node.parent
      isChanged = true
    } catch (error) {
      failure = error instanceof Error ? error.stack ?? error.message : String(error)
      notifyLog(
        engine,
        "error",
        `A defect of this program stopped the index ${index.name}; it goes on at the next start`,
        { cause: failure }
      )
    }
  }

  /** Returns the height of the last block that the index has processed and that is in the active chain. */
  const forkHeight = (): number => {
    let at = position
    while (at !== undefined && !isActive(tree, at)) at = at.parent
    return at?.height ?? -1
  }

  /**
   * Reports whether the next block or its undo data are missing. A block that was fetched again from a peer has no undo
   * data.
   */
  const lacksBlocks = (): boolean => {
    const next = activeAt(tree, forkHeight() + 1)
    if (next === undefined) return false
    return blockPlace(tree, next) === undefined || (next.height > 0 && undoPlace(tree, next) === undefined)
  }

  /** Reports whether the next block is still to come from the background chain of a snapshot. */
  const waitsForBlocks = (): boolean => engine.snapshot?.background !== undefined && lacksBlocks()

  const hook: Follower["hook"] = {
    connected: (step) => {
      if (position === undefined || position !== step.node.parent) return
      // After a reorganization beyond the remembered blocks the index has to read first.
      if (index.memory === undefined || index.memory.has(position)) along(step, "connected")
      else behind.openUnsafe()
    },
    disconnected: (step) => {
      if (position !== step.node) return
      along(step, "disconnected")
      if (options.pruning._tag === "Disabled") return
      notifyLog(engine, "debug", "An index keeps blocks from a lower one on", {
        index: index.name,
        height: step.node.height - 1
      })
    },
    connectedBehind: () => {
      if (position !== tree.tip) behind.openUnsafe()
    },
    writeChanges: (batch) => {
      // A step that failed half-way has left entries that its state does not include.
      if (!isChanged || position === undefined || failure !== undefined) return
      index.writeChanges(batch)
      batch.put(key, encodeIndexRecord({ block: position.hash, state: index.state() }))
      engine.crashPoint("index-batch")
    },
    committed: () => {
      if (failure !== undefined) return
      index.committed()
      isChanged = false
    },
    isFull: index.isFull,
    neededFrom: () => position === tree.tip ? undefined : forkHeight() + 1
  }

  /** Moves one block nearer to the tip: back, as long as the last block is not in the active chain. */
  const approach = Effect.gen(function*() {
    if (position !== undefined && !isActive(tree, position)) {
      return along(yield* stepOf(engine, position), "disconnected")
    }
    yield* remember
    along(yield* stepOf(engine, activeAt(tree, (position?.height ?? -1) + 1)!), "connected")
  })

  const isThere = (): boolean => position === tree.tip || failure !== undefined || waitsForBlocks()
  let lastCommit = clock.elapsed()
  let warning = ""

  /** Processes some blocks. Returns whether more remain. */
  const turn = Effect.gen(function*() {
    const end = clock.elapsed() + TURN
    // An unreadable block stops the index, not the chain.
    while (!isThere() && !isEnding(engine) && !index.isFull() && clock.elapsed() < end) yield* asFault(approach)
    engine.warnings.delete(warning)
    if (isThere() || index.isFull() || clock.elapsed() - lastCommit > COMMIT_INTERVAL) {
      // Otherwise the writer would see nothing to commit.
      engine.dirty = true
      lastCommit = clock.elapsed()
    }
    return !isThere()
  })

  const report = (message: string): void =>
    notifyLog(engine, "info", message, { index: index.name, height: position?.height ?? -1, tip: tree.tip.height })

  const stuck = (fault: EngineFault): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      if (isEnding(engine)) return Effect.succeed(false)
      const text = `The index ${index.name} cannot go on: ${engineFaultText(fault)}`
      engine.warnings.delete(warning)
      engine.warnings.add(text)
      if (text !== warning) notifyLog(engine, "warn", text)
      warning = text
      return Effect.as(Effect.sleep(RETRY), true)
    })

  const catchUp = Effect.gen(function*() {
    if (isThere()) return
    report("An index is behind the chain and catches up")
    let lastReport = clock.elapsed()
    while (yield* Effect.catch(writer.change(turn), stuck)) {
      yield* yieldToEventLoop
      if (clock.elapsed() - lastReport < REPORT_INTERVAL) continue
      lastReport = clock.elapsed()
      report("An index catches up with the chain")
      engine.notify({ _tag: "Progress", task: index.name, done: position?.height ?? 0, total: tree.tip.height })
    }
    if (position === tree.tip && !isEnding(engine)) report("An index has caught up with the chain")
  })

  const isOneBehind = (): boolean =>
    position !== undefined && position === tree.tip.parent && failure === undefined && !isEnding(engine)

  const level = Effect.suspend(() =>
    isOneBehind()
      ? Effect.ignore(Effect.timeoutOption(
        Effect.whileLoop({ while: isOneBehind, body: () => Effect.sleep(LEVEL.every), step: () => {} }),
        LEVEL.most
      ))
      : Effect.void
  )

  const keepUp = Effect.forever(Effect.gen(function*() {
    yield* behind.await
    behind.closeUnsafe()
    yield* catchUp
  }))

  // A new chain begins with its indexes.
  if (position === undefined && tree.tip.height === 0) yield* approach
  else yield* remember

  return {
    hook,
    catchUp,
    keepUp,
    level,
    position: () => position,
    state: () => ({
      name: index.name,
      synced: position === tree.tip,
      bestBlockHeight: position?.height ?? -1,
      lacksBlocks: lacksBlocks() && !waitsForBlocks()
    })
  }
})
