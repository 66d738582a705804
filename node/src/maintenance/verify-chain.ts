import type { Height } from "@lockstep/kernel/quantities"
import { checkBlock } from "@lockstep/kernel/block"
import { bytesEqual } from "@lockstep/kernel/bytes"
import { collectBlock, concludeBlock, tableSeed } from "@lockstep/kernel/connect"
import { disconnectBlock } from "@lockstep/kernel/utxo"
import { rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CoinCache } from "../coins/coin-cache.ts"
import { periodicYield } from "../engine/options/yield-to-event-loop.ts"
import { isEnding } from "../engine/state/engine-status.ts"
import type { ChainEngine } from "../engine/state/chain-engine.ts"
import { identified, type IdentifiedBlock } from "../engine/state/identified-block.ts"
import type { ConnectError } from "../engine/chainstate/connect-error.ts"
import { loadUndo } from "../engine/validation/disconnect.ts"
import { displayHash } from "../hex.ts"
import { activeAt } from "../engine/header-index/active-chain.ts"
import { blockPlace, undoPlace } from "../engine/header-index/block-place.ts"
import type { HeaderIndexNode } from "../engine/header-index/header-index-node.ts"
import { witnessesAreWhole } from "../engine/validation/load-block.ts"
import { prefetchToConnect, prevoutsToDisconnect } from "../engine/validation/block-prevouts.ts"
import { blockRejection } from "../engine/validation/offender.ts"
import { blockOf } from "../engine/validation/read-block.ts"
import { CORE_FILES } from "../storage/block-files/block-files.ts"
import { fileName } from "../storage/block-files/file-names.ts"
import { type DetachedCoins, detachedCoins } from "./detached-coins.ts"
import { asTyped } from "../typed-command.ts"
import { shortSettingName } from "../front/setting-name.ts"

/** Levels of checks of a block; each includes those below it. */
export const VerifyLevel = {
  /** The block can be read. */
  read: 0,
  /** The block is valid on its own. */
  check: 1,
  /** Its undo data can be read. */
  undo: 2,
  /** It can be disconnected, in memory. */
  disconnect: 3,
  /** It can be connected again, scripts and all. */
  reconnect: 4
} as const

/** The limit that stops a verification early: a block that is not on disk, or the memory for coins. */
export type VerifyLimit =
  | { readonly what: "no block data"; readonly height: Height }
  | { readonly what: "memory" }

export interface VerifyOutcome {
  readonly valid: boolean
  /** The first fault, or the reason why not all blocks were checked. */
  readonly problem: string | undefined
  /** True if the checked blocks have no fault. */
  readonly isSound: boolean
  /** The limit that stopped it early. */
  readonly limit: VerifyLimit | undefined
  /** Transactions of the blocks that were disconnected. */
  readonly transactions: number
}

interface Verification {
  readonly engine: ChainEngine
  readonly level: number
  readonly coins: DetachedCoins
  readonly advance: () => void
  readonly yieldToEventLoop: Effect.Effect<void>
  /** The height below the blocks to check. */
  lowest: number
  /** True while blocks are disconnected, in memory. */
  disconnects: boolean
  /** The skipped checks, and the reason. */
  skipped: string | undefined
  limit: VerifyLimit | undefined
  transactions: number
}

const failed = (problem: string): VerifyOutcome => ({
  valid: false,
  problem,
  isSound: false,
  limit: undefined,
  transactions: 0
})

const STOPPING: VerifyOutcome = { ...failed("The node is stopping"), isSound: true }

const damaged = (file: number): string =>
  `${fileName("blk", file % CORE_FILES)}${file < CORE_FILES ? "" : " of Bitcoin Core"} is damaged. ` +
  `Restore the file from a backup, or run ${asTyped("rebuild")}, which uses what can still be read`

/** Reads a block from disk, whatever is in memory. */
const readFromDisk = Effect.fnUntraced(function*({ crypto, files, tree }: ChainEngine, node: HeaderIndexNode) {
  const place = blockPlace(tree, node)
  if (place === undefined) return "is not on disk"
  const block = blockOf(yield* files.readBlock(place))
  if (block === undefined) return `is no block any more: ${damaged(place.file)}`
  const found = identified(block, crypto)
  return bytesEqual(found.identity.hash, node.hash) ? found : `is another block: ${damaged(place.file)}`
})

/** Checks a block on its own. It was valid when it was stored, so a fault shows that its bytes have changed. */
const checked = (engine: ChainEngine, node: HeaderIndexNode, found: IdentifiedBlock): string | undefined => {
  const { crypto, parameters, tree } = engine
  const { file } = blockPlace(tree, node)!
  const verdict = checkBlock(found.block, found.identity, parameters, crypto)
  if (Result.isFailure(verdict)) {
    return `does not hold (${rejectionText(blockRejection(verdict.failure, found.block, crypto))}): ${damaged(file)}`
  }
  return witnessesAreWhole(engine, found) ? undefined : `has other witnesses than it commits to: ${damaged(file)}`
}

/** Loads the coins that a block may look up and that no block before it has changed. */
const prefetching = ({ coins, engine }: Verification): Pick<CoinCache, "prefetchCoins" | "mayBeStored"> => ({
  mayBeStored: engine.coins.mayBeStored,
  prefetchCoins: (outpoints, isElsewhere) => engine.coins.prefetchCoins(coins.unchanged(outpoints), isElsewhere)
})

const disconnect = Effect.fnUntraced(
  function*(verification: Verification, node: HeaderIndexNode, found: IdentifiedBlock) {
    const { coins, engine } = verification
    const undo = yield* loadUndo(engine, node)
    yield* prefetching(verification).prefetchCoins(prevoutsToDisconnect(found, undo))
    const { hash, transactionIds } = found.identity
    const verdict = disconnectBlock(found.block, transactionIds, node.height, undo, coins, tableSeed(hash))
    if (Result.isFailure(verdict)) return "does not fit its undo data or the coins"
    coins.apply(verdict.success)
    verification.transactions += found.block.transactions.length
    return undefined
  }
)

const reconnect = Effect.fnUntraced(function*(
  verification: Verification,
  node: HeaderIndexNode,
  found: IdentifiedBlock
): Effect.fn.Return<string | undefined, ConnectError> {
  const { coins, engine } = verification
  const { parameters, pool } = engine
  yield* prefetchToConnect(prefetching(verification), found, node, parameters)
  const collected = collectBlock(found.block, node, found.identity, parameters, coins)
  const failure = collected.jobs.length === 0 ? undefined : yield* pool.judge(found.block, collected)
  const verdict = concludeBlock(collected, failure)
  if (Result.isFailure(verdict)) {
    return `cannot be connected again: ${
      rejectionText(blockRejection(verdict.failure, found.block, engine.crypto, collected.jobs.length))
    }`
  }
  coins.apply(verdict.success.delta)
  return undefined
})

/** Checks one block on the way down. Returns a description of its fault. */
const goDown = Effect.fnUntraced(function*(
  verification: Verification,
  node: HeaderIndexNode
): Effect.fn.Return<string | undefined, ConnectError> {
  const { disconnects, engine, level } = verification
  const found = yield* readFromDisk(engine, node)
  if (typeof found === "string") return found
  if (level >= VerifyLevel.check) {
    const problem = checked(engine, node, found)
    if (problem !== undefined) return problem
  }
  if (disconnects) return yield* disconnect(verification, node, found)
  if (level >= VerifyLevel.undo && undoPlace(engine.tree, node) !== undefined) yield* loadUndo(engine, node)
  return undefined
})

/** Checks one block on the way up again. */
const goUp = Effect.fnUntraced(function*(
  verification: Verification,
  node: HeaderIndexNode
): Effect.fn.Return<string | undefined, ConnectError> {
  const found = yield* readFromDisk(verification.engine, node)
  return typeof found === "string" ? found : yield* reconnect(verification, node, found)
})

type Look = (verification: Verification, node: HeaderIndexNode) => Effect.Effect<string | undefined, ConnectError>

/** Checks one block. Unreadable storage is a result here, not a failure. */
const lookAt = Effect.fnUntraced(function*(
  verification: Verification,
  node: HeaderIndexNode,
  look: Look
): Effect.fn.Return<VerifyOutcome | undefined> {
  const problem = yield* Effect.catch(
    look(verification, node),
    ({ message }) => Effect.succeed(`cannot be verified: ${message}`)
  )
  if (problem !== undefined) {
    return failed(`Block ${displayHash(node.hash)} at height ${node.height} ${problem}`)
  }
  verification.advance()
  // A query gets an answer in between.
  yield* verification.yieldToEventLoop
  return isEnding(verification.engine) ? STOPPING : undefined
})

/** Skips checks that are impossible: of pruned blocks, and of coins that exceed the memory. Returns whether to continue. */
const isWithinReach = (verification: Verification, node: HeaderIndexNode): boolean => {
  const { coins, disconnects, engine: { coins: cache, options, tree } } = verification
  if (options.pruning._tag !== "Disabled" && blockPlace(tree, node) === undefined) {
    verification.skipped = `Blocks up to height ${node.height} are pruned and were not looked at`
    verification.limit = { what: "no block data", height: node.height }
    verification.lowest = node.height
    return false
  }
  const { assumed } = tree
  if (assumed !== undefined && node.height <= assumed.height) {
    verification.skipped = `Blocks up to height ${node.height} are behind a snapshot that is not confirmed yet`
    verification.limit = { what: "no block data", height: node.height }
    verification.lowest = node.height
    return false
  }
  if (disconnects && coins.bytes() + cache.bytes() > options.dbcacheBytes) {
    verification.disconnects = false
    verification.limit = { what: "memory" }
    verification.skipped = `Memory for coins is too small to go back more than ${
      tree.tip.height - node.height
    } blocks: raise ${shortSettingName("[storage].dbcache_mb")}`
  }
  return true
}

const descend = Effect.fnUntraced(function*(verification: Verification): Effect.fn.Return<VerifyOutcome | undefined> {
  let node = verification.engine.tree.tip
  for (; node.height > verification.lowest && isWithinReach(verification, node); node = node.parent!) {
    const outcome = yield* lookAt(verification, node, goDown)
    if (outcome !== undefined) return outcome
  }
  return undefined
})

const ascend = Effect.fnUntraced(function*(verification: Verification): Effect.fn.Return<VerifyOutcome | undefined> {
  const { tree } = verification.engine
  for (let height = verification.lowest + 1; height <= tree.tip.height; height++) {
    const outcome = yield* lookAt(verification, activeAt(tree, height)!, goUp)
    if (outcome !== undefined) return outcome
  }
  return undefined
})

/**
 * Checks the last `blocks` blocks (0: all) from the tip down, each as closely as `level` says, and then upwards again
 * on level 4. Nothing is changed: coins are changed in memory only. Skipped checks also make the result invalid.
 * Precondition: the writer's turn.
 */
export const verifyChain = Effect.fn("maintenance.verifyChain")(function*(
  engine: ChainEngine,
  wantedLevel: number,
  blocks: number
): Effect.fn.Return<VerifyOutcome> {
  const { tip } = engine.tree
  const level = Math.max(VerifyLevel.read, Math.min(VerifyLevel.reconnect, wantedLevel))
  const depth = blocks <= 0 || blocks > tip.height ? tip.height : blocks
  const total = depth * (level === VerifyLevel.reconnect ? 2 : 1)
  let done = 0
  const verification: Verification = {
    engine,
    level,
    coins: detachedCoins(engine.coins, tableSeed(tip.hash)),
    advance: () => engine.notify({ _tag: "Progress", task: "verify", done: ++done, total }),
    yieldToEventLoop: periodicYield(),
    lowest: tip.height - depth,
    disconnects: level >= VerifyLevel.disconnect,
    skipped: undefined,
    limit: undefined,
    transactions: 0
  }
  const down = yield* descend(verification)
  if (down !== undefined) return down
  const up = level === VerifyLevel.reconnect && verification.disconnects ? yield* ascend(verification) : undefined
  const { limit, skipped: problem, transactions } = verification
  return up ?? { valid: problem === undefined, problem, isSound: true, limit, transactions }
})
