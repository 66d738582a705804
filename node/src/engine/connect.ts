import { collectBlock } from "@lockstep/kernel/connect/collect.ts"
import { concludeBlock } from "@lockstep/kernel/connect/conclude.ts"
import type { ScriptFailure } from "@lockstep/kernel/script/fault.ts"
import { type Rejection, rejectionOf } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StorageError } from "../storage/storage-error.ts"
import { breather } from "./breathe.ts"
import type { ChainEngine, Judged } from "./chain-engine.ts"
import { crashPoint } from "./crash-point.ts"
import { commit, isMemoryFull } from "./commit.ts"
import { inputCount, tellCoinsJudged, tellConnected, tellJudged } from "./connect-events.ts"
import { whenThereIsSpace } from "./disk-full.ts"
import { displayHash } from "./display-hash.ts"
import { setTip } from "./header-tree/active-chain.ts"
import { blockPlace, setUndoPlace, undoPlace } from "./header-tree/block-place.ts"
import { HeaderStatus } from "./header-tree/header-status.ts"
import { setStatus } from "./header-tree/header-tree.ts"
import { markInvalid } from "./header-tree/mark-invalid.ts"
import type { TreeNode } from "./header-tree/tree-node.ts"
import { updateInitialBlockDownload } from "./initial-block-download.ts"
import { markHolding } from "./judged-scripts.ts"
import { BLOCKS_UNDER_WAY, BYTES_UNDER_WAY } from "./limits.ts"
import { damagedBlock, loadBlock, witnessesAreWhole } from "./load-block.ts"
import { gatherToConnect } from "./needed-coins.ts"
import { blockOf } from "./read-block.ts"
import type { ScriptPoolFailure } from "./script-pool/script-pool.ts"
import { scriptsNeeded } from "./scripts-needed.ts"
import { tellEvent } from "./tell.ts"
import { decodedBlock, giveBack, keptOf, listeners, takeBack, type UnderWay } from "./under-way.ts"

/** What may go wrong that is nobody's block's fault. */
export type ConnectError = StorageError | ScriptPoolFailure

/** The blocks under way, oldest first. */
interface Pipeline {
  readonly engine: ChainEngine
  readonly judged: Judged
  readonly queue: Array<UnderWay>
  bytes: number
}

const NO_SCRIPTS: Effect.Effect<ScriptFailure | undefined> = Effect.succeed(undefined)

/** Everything about a block but its scripts, which start to be judged. */
const begin = Effect.fnUntraced(function*(engine: ChainEngine, node: TreeNode): Effect.fn.Return<UnderWay, StorageError> {
  const { coins, parameters, pool } = engine
  const since = performance.now()
  const fromDisk = engine.recent.get(node.index) === undefined
  const found = yield* loadBlock(engine, node)
  // Decoded blocks take many times their bytes: none but the newest is likely to be asked for again, and in the initial
  // download not even that.
  engine.recent.remove(node.parent!.index)
  if (engine.initialBlockDownload) engine.recent.remove(node.index)
  const isAlone = engine.initialBlockDownload && found.isOurs === true
  const hash = displayHash(node.hash)
  const inputs = inputCount(found.block)
  tellEvent(engine, "BlockValidationStarted", { block_hash: hash, height: node.height })
  tellEvent(engine, "UTXOValidationStarted", { block_hash: hash, inputs })
  yield* gatherToConnect(coins, found, node, parameters)
  const collected = collectBlock(found.block, node, found.identity, parameters, coins)
  const judges = collected.jobs.length > 0 && scriptsNeeded(engine, node)
  tellCoinsJudged(engine, hash, collected.failure === undefined, performance.now() - since)
  if (judges) tellEvent(engine, "ScriptVerificationStarted", { block_hash: hash, inputs })
  const scripts = judges ? pool.judge(found.block, collected) : NO_SCRIPTS
  if (collected.failure === undefined) {
    coins.apply(collected.delta)
    crashPoint("coins-applied")
  }
  crashPoint("coins-applied")
  const judgedSince = judges ? performance.now() : undefined
  return { ...keptOf(engine, found, collected), isAlone, node, fromDisk, scripts, since, judgedSince }
})

/** Takes the changes of all blocks under way out of the cache again. */
const takeAllBack = (pipeline: Pipeline): void => {
  const { engine, queue } = pipeline
  for (const step of queue.splice(0).reverse()) takeBack(engine, step)
  engine.underWay = 0
  pipeline.bytes = 0
}

const refuse = Effect.fnUntraced(function*(
  pipeline: Pipeline,
  step: UnderWay,
  rejection: Rejection
): Effect.fn.Return<void, StorageError> {
  const { engine, judged } = pipeline
  const { bytes, fromDisk, node, since } = step
  takeAllBack(pipeline)
  if (fromDisk && !witnessesAreWhole(engine, node, blockOf(bytes)!)) {
    return yield* damagedBlock(node, blockPlace(engine.tree, node)?.file)
  }
  if (rejection.what !== "mutated") markInvalid(engine.tree, node)
  tellJudged(engine, node, rejection, performance.now() - since)
  judged(node, rejection)
})

/** Writes what it takes to disconnect the block, unless that was done when it was connected before. */
const keepUndo = Effect.fnUntraced(function*(
  engine: ChainEngine,
  { node, undo }: UnderWay
): Effect.fn.Return<void, StorageError> {
  const { files, tree } = engine
  if (undoPlace(tree, node) !== undefined) return
  const { file } = blockPlace(tree, node)!
  setUndoPlace(tree, node, yield* whenThereIsSpace(engine, files.appendUndo(file, node.parent!.hash, undo, node.height)))
  crashPoint("undo-appended")
  crashPoint("undo-appended")
})

/** Answers whether anybody was told, who may keep the block. */
const tellHooks = (engine: ChainEngine, step: UnderWay): boolean => {
  const hooks = listeners(engine)
  if (hooks.length === 0) return false
  const { found: { block, identity: { transactionIds } }, undo } = decodedBlock(engine, step)
  for (const hook of hooks) hook.connected!({ node: step.node, block, transactionIds, undo })
  return true
}

/** Waits for the scripts of the oldest block under way and makes it the tip, or refuses it and all behind it. */
const settle = Effect.fnUntraced(function*(pipeline: Pipeline): Effect.fn.Return<boolean, ConnectError> {
  const { engine, judged, queue } = pipeline
  const step = queue[0]!
  const { judgedSince, node, since } = step
  const scriptFailure = yield* step.scripts
  if (judgedSince !== undefined) {
    tellEvent(engine, "ScriptVerificationCompleted", {
      block_hash: displayHash(node.hash),
      valid: scriptFailure === undefined,
      duration_ms: performance.now() - judgedSince
    })
  }
  const verdict = concludeBlock(step, scriptFailure)
  if (Result.isFailure(verdict)) {
    yield* refuse(pipeline, step, rejectionOf(verdict.failure))
    return false
  }
  yield* keepUndo(engine, step)
  queue.shift()
  engine.underWay = queue.length
  pipeline.bytes -= step.bytes.length
  setStatus(engine.tree, node, HeaderStatus.CONNECTED)
  if (judgedSince !== undefined) markHolding(engine.judgedScripts, node)
  setTip(engine.tree, node)
  engine.dirty = true
  const isHeld = tellHooks(engine, step)
  tellJudged(engine, node, undefined, performance.now() - since)
  tellConnected(engine, node, step.transactions)
  updateInitialBlockDownload(engine)
  judged(node, undefined)
  if (!isHeld) giveBack(step)
  return true
})

const drain = Effect.fnUntraced(function*(pipeline: Pipeline): Effect.fn.Return<boolean, ConnectError> {
  while (pipeline.queue.length > 0) if (!(yield* settle(pipeline))) return false
  return true
})

const isFull = ({ bytes, queue }: Pipeline): boolean => queue.length >= BLOCKS_UNDER_WAY || bytes >= BYTES_UNDER_WAY

/** Blocks that are being connected, each on top of the one before, the first on top of the tip. */
export interface BlockPipeline {
  /** The newest block under way; none: nothing is. */
  readonly last: () => TreeNode | undefined
  /** Begins with one more block and waits for room. Answers false when one is invalid: then nothing is under way any more. */
  readonly add: (node: TreeNode) => Effect.Effect<boolean, ConnectError>
  /** Waits for the oldest block under way, if there is one; false as for `add`. */
  readonly settle: Effect.Effect<boolean, ConnectError>
  /** Waits for everything under way; false as for `add`. */
  readonly drain: Effect.Effect<boolean, ConnectError>
  /** Lets go of what is under way: no change stays in the cache but those up to the tip. To be run however things end. */
  readonly abandon: Effect.Effect<void>
}

const addTo = Effect.fnUntraced(function*(pipeline: Pipeline, node: TreeNode): Effect.fn.Return<boolean, ConnectError> {
  const { engine, queue } = pipeline
  if (isMemoryFull(engine)) {
    if (!(yield* drain(pipeline))) return false
    yield* commit(engine)
  }
  const step = yield* begin(engine, node)
  queue.push(step)
  engine.underWay = queue.length
  pipeline.bytes += step.bytes.length
  if (step.failure !== undefined) return yield* drain(pipeline)
  // What waits for nobody is not kept.
  while (queue[0] !== undefined && queue[0].judgedSince === undefined) if (!(yield* settle(pipeline))) return false
  // Afterwards and not before: the next block would wait decoded, and be copied by every collection meanwhile.
  while (isFull(pipeline)) if (!(yield* settle(pipeline))) return false
  return true
})

/** A pipeline with nothing under way; several blocks' scripts are judged while the coins of the next ones are looked at. */
export const blockPipeline = (engine: ChainEngine, judged: Judged): BlockPipeline => {
  const pipeline: Pipeline = { engine, judged, queue: [], bytes: 0 }
  return {
    last: () => pipeline.queue.at(-1)?.node,
    add: (node) => addTo(pipeline, node),
    settle: Effect.suspend(() => pipeline.queue.length === 0 ? Effect.succeed(true) : settle(pipeline)),
    drain: drain(pipeline),
    abandon: Effect.sync(() => takeAllBack(pipeline))
  }
}

const connectAll = Effect.fnUntraced(function*(
  engine: ChainEngine,
  { add, drain: drainAll }: BlockPipeline,
  path: ReadonlyArray<TreeNode>
): Effect.fn.Return<boolean, ConnectError> {
  const rest = breather()
  for (const node of path) {
    if (engine.closing) break
    yield* rest
    if (!(yield* add(node))) return false
  }
  return yield* drainAll
})

/**
 * Connects blocks one on top of another, the first on top of the tip. Ends early at one that is invalid; answers whether
 * none was.
 */
export const connectPath = (
  engine: ChainEngine,
  path: ReadonlyArray<TreeNode>,
  judged: Judged
): Effect.Effect<boolean, ConnectError> =>
  Effect.suspend(() => {
    const pipeline = blockPipeline(engine, judged)
    return connectAll(engine, pipeline, path).pipe(Effect.ensuring(pipeline.abandon))
  })
