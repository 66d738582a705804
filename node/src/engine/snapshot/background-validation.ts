import { ancestorAt, lastCommonAncestor } from "@lockstep/kernel/chain"
import { collectBlock, concludeBlock } from "@lockstep/kernel/connect"
import type { RuleId } from "@lockstep/kernel/rule-ids"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ChainEngine, Judged } from "../state/chain-engine.ts"
import { commit } from "../chainstate/commit.ts"
import { isEnding } from "../state/engine-status.ts"
import { blockPlace } from "../header-index/block-place.ts"
import { has, setStatus } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { HeaderStatus } from "../header-index/header-status.ts"
import { prefetchToConnect } from "../validation/block-prevouts.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { keepUndo } from "../validation/connect.ts"
import { revertCoins } from "../validation/disconnect.ts"
import { notifyVerdict } from "../validation/connect-events.ts"
import { judgeUnverified } from "../validation/judge-unverified.ts"
import { damagedBlock, loadBlock, witnessesAreThere } from "../validation/load-block.ts"
import { blockRejection } from "../validation/offender.ts"
import { scriptsNeeded } from "../validation/scripts-needed.ts"
import { periodicYield } from "../options/yield-to-event-loop.ts"
import { abandonSnapshot } from "./abandon-snapshot.ts"
import type { BackgroundChain, Snapshot } from "../state/snapshot.ts"

const COIN_MISSING: RuleId = "TXI-001"

/** Connects a block on top of the background chain. Returns the rule that it breaks, if any. */
const connect = Effect.fnUntraced(function*(
  engine: ChainEngine,
  background: BackgroundChain,
  node: HeaderIndexNode
): Effect.fn.Return<Rejection | undefined, ConnectError> {
  const { crypto, parameters, recent, tree, undoCodec } = engine
  const { coins } = background
  const fromDisk = recent.get(node.index) === undefined
  const found = yield* loadBlock(engine, node)
  recent.remove(node.index)
  yield* prefetchToConnect(coins, found, node, parameters)
  const collected = collectBlock(found.block, node, found.identity, parameters, coins)
  const judges = collected.jobs.length > 0 && scriptsNeeded(engine, node)
  const scriptFailure = judges ? yield* judgeUnverified(engine, found, collected) : undefined
  const verdict = concludeBlock(collected, scriptFailure)
  if (Result.isFailure(verdict)) {
    const rejection = blockRejection(verdict.failure, found.block, crypto, collected.jobs.length)
    if (fromDisk && !witnessesAreThere(engine, node, found)) {
      return yield* damagedBlock(node, blockPlace(tree, node)?.file)
    }
    // A coin that a damaged store hides does not make the block invalid.
    if (rejection.rule === COIN_MISSING) yield* engine.store.examine
    return rejection
  }
  yield* keepUndo(engine, { node, undo: undoCodec.encode(collected.undo) })
  // All in one step: an early end must not leave coins of another block than the tip.
  coins.apply(collected.delta)
  setStatus(tree, node, HeaderStatus.CONNECTED)
  background.tip = node
  engine.dirty = true
  for (const hook of engine.hooks) hook.connectedBehind?.()
  engine.crashPoint("background-connected")
  return undefined
})

/**
 * Returns the next block of the background chain if it is stored. `fork` is the last block of it that the base descends
 * from.
 */
const nextOf = ({ tree }: ChainEngine, { base }: Snapshot, fork: HeaderIndexNode): HeaderIndexNode | undefined => {
  if (fork === base) return undefined
  const next = ancestorAt(base, fork.height + 1) as HeaderIndexNode
  return has(tree, next, HeaderStatus.STORED) ? next : undefined
}

/** Disconnects the tip of the background chain, which had forked off before the snapshot was loaded. */
const stepBack = Effect.fnUntraced(function*(
  engine: ChainEngine,
  background: BackgroundChain
): Effect.fn.Return<void, StorageError> {
  yield* revertCoins(engine, background.tip, background.coins)
  background.tip = background.tip.parent!
  engine.dirty = true
})

const IGNORE: Judged = () => {}

/**
 * Connects the next block of the background chain if it is on disk, or disconnects one that is not an ancestor of the
 * base. Returns whether it did. At the base the comparison of the coins begins. Preconditions: the writer's turn, and
 * no block of the active chain is being connected.
 */
export const connectHistorical = Effect.fnUntraced(function*(
  engine: ChainEngine,
  judged: Judged = IGNORE
): Effect.fn.Return<boolean, ConnectError> {
  const { snapshot } = engine
  const background = snapshot?.background
  if (snapshot === undefined || background === undefined) return false
  const fork = lastCommonAncestor(background.tip, snapshot.base) as HeaderIndexNode
  const node = nextOf(engine, snapshot, fork)
  if (node === undefined) return false
  if (background.coins.isFull()) yield* commit(engine)
  if (background.tip !== fork) {
    yield* stepBack(engine, background)
    return true
  }
  const since = engine.clock.elapsed()
  const rejection = yield* connect(engine, background, node)
  notifyVerdict(engine, node, rejection, engine.clock.elapsed() - since)
  judged(node, rejection)
  if (rejection !== undefined) {
    yield* abandonSnapshot(engine, snapshot, background, rejection.class === "mutated" ? undefined : node)
    return false
  }
  if (node === snapshot.base) snapshot.whenReached()
  return true
})

/** Connects blocks one after another until no next one is stored, or until `isOver`. Returns whether more may follow. */
export const connectAllHistorical = Effect.fnUntraced(function*(
  engine: ChainEngine,
  isOver: () => boolean,
  judged: Judged = IGNORE
): Effect.fn.Return<boolean, ConnectError> {
  const rest = periodicYield()
  while (!isEnding(engine) && (yield* connectHistorical(engine, judged))) {
    if (isOver()) return true
    yield* rest
  }
  return false
})
