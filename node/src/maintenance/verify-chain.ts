import { checkBlock } from "@lockstep/kernel/block/check-block.ts"
import { bytesEqual } from "@lockstep/kernel/bytes/equal.ts"
import { collectBlock, tableSeed } from "@lockstep/kernel/connect/collect.ts"
import { concludeBlock } from "@lockstep/kernel/connect/conclude.ts"
import { disconnectBlock } from "@lockstep/kernel/utxo/undo.ts"
import { rejectionOf } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CoinCache } from "../coins/coin-cache.ts"
import { breather } from "../engine/breathe.ts"
import { type ChainEngine, type IdentifiedBlock, identified } from "../engine/chain-engine.ts"
import type { ConnectError } from "../engine/connect.ts"
import { loadUndo } from "../engine/disconnect.ts"
import { displayHash } from "../engine/display-hash.ts"
import { activeAt } from "../engine/header-tree/active-chain.ts"
import { blockPlace, undoPlace } from "../engine/header-tree/block-place.ts"
import type { TreeNode } from "../engine/header-tree/tree-node.ts"
import { witnessesAreWhole } from "../engine/load-block.ts"
import { gatherToConnect, neededToDisconnect } from "../engine/needed-coins.ts"
import { blockOf } from "../engine/read-block.ts"
import { REFERENCE_FILES } from "../storage/block-files/block-files.ts"
import { fileName } from "../storage/block-files/file-names.ts"
import { type DetachedCoins, detachedCoins } from "./detached-coins.ts"

/** What a block is put through; each level does what the ones below it do. */
export const VerifyLevel = {
  /** The block can be read. */
  read: 0,
  /** It holds by itself. */
  check: 1,
  /** Its undo data can be read. */
  undo: 2,
  /** It can be taken off the chain, in memory. */
  disconnect: 3,
  /** It can be put on again, scripts and all. */
  reconnect: 4
} as const

export interface VerifyOutcome {
  readonly valid: boolean
  /** The first thing that is wrong, or why not all was looked at. */
  readonly problem: string | undefined
}

interface Verification {
  readonly engine: ChainEngine
  readonly level: number
  readonly coins: DetachedCoins
  readonly advance: () => void
  readonly breathe: Effect.Effect<void>
  /** The height below the blocks that are looked at. */
  lowest: number
  /** Whether blocks are taken off, in memory. */
  disconnects: boolean
  /** What was left out, and why. */
  skipped: string | undefined
}

const STOPPING: VerifyOutcome = { valid: false, problem: "The node is stopping" }

const damaged = (file: number): string =>
  `${fileName("blk", file % REFERENCE_FILES)}${file < REFERENCE_FILES ? "" : " of the reference node"} is damaged. ` +
  "Restore the file from a backup, or run `node rebuild`, which uses what can still be read"

/** From disk, whatever is in memory. */
const readFromDisk = Effect.fnUntraced(function*({ crypto, files, tree }: ChainEngine, node: TreeNode) {
  const place = blockPlace(tree, node)
  if (place === undefined) return "is not on disk"
  const block = blockOf(yield* files.readBlock(place))
  if (block === undefined) return `is no block any more: ${damaged(place.file)}`
  const found = identified(block, crypto)
  return bytesEqual(found.identity.hash, node.hash) ? found : `is another block: ${damaged(place.file)}`
})

/** A block holds by itself, or it would not be on disk: if it does not, its bytes are not what they were. */
const checked = (engine: ChainEngine, node: TreeNode, found: IdentifiedBlock): string | undefined => {
  const { crypto, parameters, tree } = engine
  const { file } = blockPlace(tree, node)!
  const verdict = checkBlock(found.block, found.identity, parameters, crypto)
  if (Result.isFailure(verdict)) return `does not hold (${rejectionOf(verdict.failure).reason}): ${damaged(file)}`
  return witnessesAreWhole(engine, node, found.block) ? undefined : `has other witnesses than it commits to: ${damaged(file)}`
}

/** What loads the coins a block may ask for that no block before it has changed. */
const gathering = ({ coins, engine }: Verification): Pick<CoinCache, "gather" | "mayBeStored"> => ({
  mayBeStored: engine.coins.mayBeStored,
  gather: (outpoints, isElsewhere) => engine.coins.gather(coins.unchanged(outpoints), isElsewhere)
})

const disconnect = Effect.fnUntraced(function*(verification: Verification, node: TreeNode, found: IdentifiedBlock) {
  const { coins, engine } = verification
  const undo = yield* loadUndo(engine, node)
  yield* gathering(verification).gather(neededToDisconnect(found, undo))
  const { hash, transactionIds } = found.identity
  const verdict = disconnectBlock(found.block, transactionIds, node.height, undo, coins, tableSeed(hash))
  if (Result.isFailure(verdict)) return "does not fit its undo data or the coins"
  coins.apply(verdict.success)
  return undefined
})

const reconnect = Effect.fnUntraced(function*(
  verification: Verification,
  node: TreeNode,
  found: IdentifiedBlock
): Effect.fn.Return<string | undefined, ConnectError> {
  const { coins, engine } = verification
  const { parameters, pool } = engine
  yield* gatherToConnect(gathering(verification), found, node, parameters)
  const collected = collectBlock(found.block, node, found.identity, parameters, coins)
  const failure = collected.jobs.length === 0 ? undefined : yield* pool.judge(found.block, collected)
  const verdict = concludeBlock(collected, failure)
  if (Result.isFailure(verdict)) return `cannot be connected again: ${rejectionOf(verdict.failure).reason}`
  coins.apply(verdict.success.delta)
  return undefined
})

/** One block on the way down; answers what is wrong with it. */
const goDown = Effect.fnUntraced(function*(
  verification: Verification,
  node: TreeNode
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

/** One block on the way up again. */
const goUp = Effect.fnUntraced(function*(
  verification: Verification,
  node: TreeNode
): Effect.fn.Return<string | undefined, ConnectError> {
  const found = yield* readFromDisk(verification.engine, node)
  return typeof found === "string" ? found : yield* reconnect(verification, node, found)
})

type Look = (verification: Verification, node: TreeNode) => Effect.Effect<string | undefined, ConnectError>

/** Looks at one block. Storage that cannot be read is what is looked for here: an answer, not a failure. */
const lookAt = Effect.fnUntraced(function*(
  verification: Verification,
  node: TreeNode,
  look: Look
): Effect.fn.Return<VerifyOutcome | undefined> {
  const problem = yield* Effect.catch(look(verification, node), ({ message }) => Effect.succeed(`cannot be verified: ${message}`))
  if (problem !== undefined) return { valid: false, problem: `Block ${displayHash(node.hash)} at height ${node.height} ${problem}` }
  verification.advance()
  // Who only wants to know something gets an answer in between.
  yield* verification.breathe
  return verification.engine.closing ? STOPPING : undefined
})

/** Leaves out what cannot be looked at: pruned blocks, and coins that memory has no room for. Answers whether to go on. */
const isWithinReach = (verification: Verification, node: TreeNode): boolean => {
  const { coins, disconnects, engine: { coins: cache, options, tree } } = verification
  if (options.pruning._tag !== "Disabled" && blockPlace(tree, node) === undefined) {
    verification.skipped = `Blocks up to height ${node.height} are pruned and were not looked at`
    verification.lowest = node.height
    return false
  }
  if (disconnects && coins.bytes() + cache.bytes() > options.dbcacheBytes) {
    verification.disconnects = false
    verification.skipped = `Memory for coins is too small to go back more than ${tree.tip.height - node.height} blocks: raise dbcache_mb`
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
 * Goes back from the tip over the last `blocks` blocks (0: all) and looks at each as closely as `level` says, then forward
 * again on level 4. Nothing is changed: coins go back and forth in memory only. What had to be left out makes the answer no
 * as well. Precondition: the writer's turn.
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
    advance: () => engine.tell({ _tag: "Progress", task: "verify", done: ++done, total }),
    breathe: breather(),
    lowest: tip.height - depth,
    disconnects: level >= VerifyLevel.disconnect,
    skipped: undefined
  }
  const down = yield* descend(verification)
  if (down !== undefined) return down
  const up = level === VerifyLevel.reconnect && verification.disconnects ? yield* ascend(verification) : undefined
  return up ?? { valid: verification.skipped === undefined, problem: verification.skipped }
})
