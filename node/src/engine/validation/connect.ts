import { collectBlock, concludeBlock } from "@lockstep/kernel/connect"
import type { RuleId } from "@lockstep/kernel/rule-ids"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ensuring } from "../../finalizers/finalizers.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import { periodicYield } from "../options/yield-to-event-loop.ts"
import type { ChainEngine, Judged } from "../state/chain-engine.ts"
import { isEnding } from "../state/engine-status.ts"
import { commit, isMemoryFull } from "../chainstate/commit.ts"
import { notifyEarly } from "../chainstate/notify-early.ts"
import { inputCount, notifyCoinsChecked, notifyConnected, notifyVerdict } from "./connect-events.ts"
import { whenThereIsSpace } from "../chainstate/disk-full.ts"
import { displayHash } from "../../hex.ts"
import { setTip } from "../header-index/active-chain.ts"
import { blockPlace, setUndoPlace, undoPlace } from "../header-index/block-place.ts"
import { HeaderStatus } from "../header-index/header-status.ts"
import { setStatus } from "../header-index/header-index.ts"
import { markInvalid } from "../header-index/mark-invalid.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { identified } from "../state/identified-block.ts"
import { updateInitialBlockDownload } from "../chainstate/initial-block-download.ts"
import { markScriptsVerified } from "../state/verified-scripts.ts"
import { BLOCKS_UNDER_WAY, BYTES_UNDER_WAY } from "../options/limits.ts"
import { damagedBlock, loadBlock, witnessesAreThere } from "./load-block.ts"
import { prefetchToConnect } from "./block-prevouts.ts"
import { blockOf } from "./read-block.ts"
import type { JobFailure } from "../script-pool/script-pool.ts"
import { blockRejection } from "./offender.ts"
import { judgeUnverified } from "./judge-unverified.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { notifyScriptsNeeded } from "./scripts-needed.ts"
import { notifyEvent } from "../notify/notifications.ts"
import { decodedBlock, releaseBuffers, retain, listeners, rollBack, type ConnectingBlock } from "./connecting-block.ts"

/** The connecting blocks, oldest first. */
interface Pipeline {
  readonly engine: ChainEngine
  readonly judged: Judged
  readonly queue: Array<ConnectingBlock>
  bytes: number
}

const COIN_MISSING: RuleId = "TXI-001"

const NO_SCRIPTS: Effect.Effect<JobFailure | undefined> = Effect.succeed(undefined)

/** Checks everything about a block except its scripts, whose verification starts. */
const begin = Effect.fnUntraced(
  function*(engine: ChainEngine, node: HeaderIndexNode): Effect.fn.Return<ConnectingBlock, StorageError> {
    const { coins, parameters } = engine
    const since = engine.clock.elapsed()
    const fromDisk = engine.recent.get(node.index) === undefined
    const found = yield* loadBlock(engine, node)
    // Decoded blocks take many times their bytes. Only the newest is likely to be requested again, and in the initial
    // block download not even that one.
    engine.recent.remove(node.parent!.index)
    if (engine.initialBlockDownload) engine.recent.remove(node.index)
    const isAlone = engine.initialBlockDownload && found.isOurs === true
    const hash = displayHash(node.hash)
    const inputs = inputCount(found.block)
    notifyEvent(engine, "BlockValidationStarted", { block_hash: hash, height: node.height })
    notifyEvent(engine, "UTXOValidationStarted", { block_hash: hash, height: node.height, inputs })
    yield* prefetchToConnect(coins, found, node, parameters)
    const collected = collectBlock(found.block, node, found.identity, parameters, coins)
    const judges = notifyScriptsNeeded(engine, node) && collected.jobs.length > 0
    notifyCoinsChecked(engine, node, collected.failure === undefined, engine.clock.elapsed() - since)
    if (judges) notifyEvent(engine, "ScriptVerificationStarted", { block_hash: hash, inputs })
    const scripts = judges ? judgeUnverified(engine, found, collected) : NO_SCRIPTS
    if (collected.failure === undefined) {
      coins.apply(collected.delta)
      engine.crashPoint("coins-applied")
    }
    const judgedSince = judges ? engine.clock.elapsed() : undefined
    return { ...retain(engine, found, collected), isAlone, node, fromDisk, scripts, since, judgedSince, inputs }
  }
)

/** Reverts the changes of all connecting blocks in the coins cache. */
const rollBackAll = (pipeline: Pipeline): void => {
  const { engine, queue } = pipeline
  for (const step of queue.splice(0).reverse()) rollBack(engine, step)
  engine.underWay = 0
  pipeline.bytes = 0
}

const refuse = Effect.fnUntraced(function*(
  pipeline: Pipeline,
  step: ConnectingBlock,
  rejection: Rejection
): Effect.fn.Return<void, StorageError> {
  const { engine, judged } = pipeline
  const { bytes, fromDisk, node, since } = step
  rollBackAll(pipeline)
  if (fromDisk && !witnessesAreThere(engine, node, identified(blockOf(bytes)!, engine.crypto))) {
    return yield* damagedBlock(node, blockPlace(engine.tree, node)?.file)
  }
  // A coin that a damaged store hides does not make the block invalid.
  if (rejection.rule === COIN_MISSING) yield* engine.store.examine
  if (rejection.class !== "mutated") markInvalid(engine.tree, node)
  notifyVerdict(engine, node, rejection, engine.clock.elapsed() - since)
  judged(node, rejection)
})

/** Writes the undo data of the block, unless they were written when it was connected before. */
export const keepUndo = Effect.fnUntraced(function*(
  engine: ChainEngine,
  { node, undo }: Pick<ConnectingBlock, "node" | "undo">
): Effect.fn.Return<void, StorageError> {
  const { files, tree } = engine
  if (undoPlace(tree, node) !== undefined) return
  const { file } = blockPlace(tree, node)!
  setUndoPlace(
    tree,
    node,
    yield* whenThereIsSpace(engine, files.appendUndo(file, node.parent!.hash, undo, node.height))
  )
  engine.crashPoint("undo-appended")
})

/** Notifies the hooks. Returns whether there was one, which may keep the block. */
const notifyHooks = (engine: ChainEngine, step: ConnectingBlock): boolean => {
  const hooks = listeners(engine)
  if (hooks.length === 0) return false
  const { found: { block, identity: { transactionIds }, witnessIds }, undo } = decodedBlock(engine, step)
  for (const hook of hooks) hook.connected!({ node: step.node, block, transactionIds, witnessIds, undo })
  return true
}

/** Waits for the scripts of the oldest connecting block. Makes it the tip, or rejects it and all blocks after it. */
const settle = Effect.fnUntraced(function*(pipeline: Pipeline): Effect.fn.Return<boolean, ConnectError> {
  const { engine, judged, queue } = pipeline
  const step = queue[0]!
  const { judgedSince, node, since } = step
  const scriptFailure = yield* step.scripts
  if (judgedSince !== undefined) {
    notifyEvent(engine, "ScriptVerificationCompleted", {
      block_hash: displayHash(node.hash),
      inputs: step.inputs,
      valid: scriptFailure === undefined,
      duration_ms: engine.clock.elapsed() - judgedSince
    })
  }
  const verdict = concludeBlock(step, scriptFailure)
  if (Result.isFailure(verdict)) {
    yield* refuse(pipeline, step, blockRejection(verdict.failure, blockOf(step.bytes)!, engine.crypto, step.jobs))
    return false
  }
  yield* keepUndo(engine, step)
  queue.shift()
  engine.underWay = queue.length
  pipeline.bytes -= step.bytes.length
  setStatus(engine.tree, node, HeaderStatus.CONNECTED)
  if (judgedSince !== undefined) markScriptsVerified(engine.verifiedScripts, node)
  const wasCommitted = !engine.dirty
  setTip(engine.tree, node)
  engine.dirty = true
  notifyVerdict(engine, node, undefined, engine.clock.elapsed() - since)
  // A failure here occurs again in the commit, which reports it.
  if (queue.length === 0) yield* Effect.ignore(notifyEarly(engine, node, wasCommitted))
  const isHeld = notifyHooks(engine, step)
  notifyConnected(engine, node, step.transactions)
  updateInitialBlockDownload(engine)
  judged(node, undefined)
  if (!isHeld) releaseBuffers(step)
  return true
})

const drain = Effect.fnUntraced(function*(pipeline: Pipeline): Effect.fn.Return<boolean, ConnectError> {
  while (pipeline.queue.length > 0) if (!(yield* settle(pipeline))) return false
  return true
})

const isFull = ({ bytes, queue }: Pipeline): boolean => queue.length >= BLOCKS_UNDER_WAY || bytes >= BYTES_UNDER_WAY

/** Connecting blocks: each on top of the one before, the first on top of the tip. */
export interface BlockPipeline {
  /** Returns the newest connecting block, or `undefined` if no block is being connected. */
  readonly last: () => HeaderIndexNode | undefined
  /**
   * Starts to connect one more block and waits for a free slot. Returns false if a block is invalid; then no block is
   * being connected any more.
   */
  readonly add: (node: HeaderIndexNode) => Effect.Effect<boolean, ConnectError>
  /** Waits for the oldest connecting block, if any. Returns false as `add` does. */
  readonly settle: Effect.Effect<boolean, ConnectError>
  /** Waits for all connecting blocks. Returns false as `add` does. */
  readonly drain: Effect.Effect<boolean, ConnectError>
  /** Releases the connecting blocks: the cache keeps only the changes up to the tip. Must run however the work ends. */
  readonly abandon: Effect.Effect<void>
}

const addTo = Effect.fnUntraced(
  function*(pipeline: Pipeline, node: HeaderIndexNode): Effect.fn.Return<boolean, ConnectError> {
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
    // A block without scripts to verify is finished at once.
    while (queue[0] !== undefined && queue[0].judgedSince === undefined) if (!(yield* settle(pipeline))) return false
    // Waits after a block is added, not before: otherwise the next one would wait decoded, and every collection would
    // copy it.
    while (isFull(pipeline)) if (!(yield* settle(pipeline))) return false
    return true
  }
)

/**
 * Makes a pipeline without blocks. The scripts of several blocks are verified while the coins of the next ones are
 * looked up.
 */
export const blockPipeline = (engine: ChainEngine, judged: Judged): BlockPipeline => {
  const pipeline: Pipeline = { engine, judged, queue: [], bytes: 0 }
  return {
    last: () => pipeline.queue.at(-1)?.node,
    add: (node) => addTo(pipeline, node),
    settle: Effect.suspend(() => pipeline.queue.length === 0 ? Effect.succeed(true) : settle(pipeline)),
    drain: drain(pipeline),
    abandon: Effect.sync(() => rollBackAll(pipeline))
  }
}

const connectAll = Effect.fnUntraced(function*(
  engine: ChainEngine,
  { add, drain: drainAll }: BlockPipeline,
  path: ReadonlyArray<HeaderIndexNode>
): Effect.fn.Return<boolean, ConnectError> {
  const rest = periodicYield()
  for (const node of path) {
    if (isEnding(engine)) break
    yield* rest
    if (!(yield* add(node))) return false
  }
  return yield* drainAll
})

/**
 * Connects blocks one on top of another, the first on top of the tip. Stops at an invalid block. Returns true if all
 * are valid.
 */
export const connectPath = (
  engine: ChainEngine,
  path: ReadonlyArray<HeaderIndexNode>,
  judged: Judged
): Effect.Effect<boolean, ConnectError> =>
  Effect.suspend(() => {
    const pipeline = blockPipeline(engine, judged)
    return connectAll(engine, pipeline, path).pipe(ensuring(pipeline.abandon))
  })
