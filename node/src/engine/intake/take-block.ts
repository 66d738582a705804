import { blockIsMutated } from "@lockstep/kernel/block/mutated.ts"
import { blockWork } from "@lockstep/kernel/work/block-work.ts"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StorageError } from "../../storage/storage-error.ts"
import { acceptBlock, type Wanted } from "../accept.ts"
import type { AcceptedBlock } from "../calls/network-calls.ts"
import { type ChainEngine, identified, type IdentifiedBlock } from "../chain-engine.ts"
import { inputCount } from "../connect-events.ts"
import { nodeOf } from "../header-tree/header-tree.ts"
import type { TreeNode } from "../header-tree/tree-node.ts"
import { MOST_AHEAD } from "../limits.ts"
import { blockAtStart } from "../read-block.ts"

/** The bytes are not what the header commits to: whoever sent them made that up, or passes on what somebody made up. */
const MUTATED: Rejection = { reason: "mutated block", what: "mutated", rule: "BLK-018" }

/** Blocks of the tip's work that a chain may be behind the tip and still be worth a look. */
const WORK_MARGIN_BLOCKS = 144n

/** A block that arrived, and its entry once it is stored. Not the block itself: whoever waits for room would hold it in memory. */
export interface TakenBlock {
  readonly answer: AcceptedBlock
  readonly stored: { readonly node: TreeNode; readonly bytes: number; readonly inputs: number } | undefined
}

const notTaken = (hash: Uint8Array, rejection?: Rejection): TakenBlock =>
  ({ answer: { hash: hash.slice(), isNew: false, rejection }, stored: undefined })

/** Whether a header nobody has heard of has too little work behind it to be remembered: such are made for nothing. */
const isCheap = ({ network, tree }: ChainEngine, { block, identity }: IdentifiedBlock): boolean => {
  const parent = nodeOf(tree, block.header.previous)
  if (parent === undefined || nodeOf(tree, identity.hash) !== undefined) return false
  const work = parent.chainWork + blockWork(block.header.bits)
  const { chainWork, header } = tree.tip
  return work < chainWork - blockWork(header.bits) * WORK_MARGIN_BLOCKS || work < network.minimumChainWork
}

/** Whether to keep a block that nobody asked for: it may be the next tip, is not far ahead, and was not pruned. */
const wantedUnasked = ({ network, tree }: ChainEngine): Wanted => (node) => {
  const { tip } = tree
  return tree.columns.transactions[node.index] === 0 && node.chainWork >= tip.chainWork &&
    node.height <= tip.height + MOST_AHEAD && node.chainWork >= network.minimumChainWork
}

const isMutated = ({ crypto, parameters, tree }: ChainEngine, { block, identity }: IdentifiedBlock): boolean => {
  const parent = nodeOf(tree, block.header.previous)
  return parent !== undefined &&
    blockIsMutated(block, identity.transactionIds, parent.height + 1 >= parameters.heights.segwit, crypto)
}

/**
 * Takes in a block from a peer, as the reference implementation does: what is not what its header says is refused before
 * anything else, what nobody asked for is stored only if it may matter. Bytes that are no block at all are passed over. They
 * are the engine's from now on.
 */
export const takeBlock = Effect.fnUntraced(function*(
  engine: ChainEngine,
  bytes: Uint8Array,
  requested: boolean
): Effect.fn.Return<TakenBlock, StorageError> {
  const block = blockAtStart(bytes)
  if (block === undefined) return notTaken(engine.crypto.sha256d(bytes.subarray(0, 80)))
  const found: IdentifiedBlock = { ...identified(block, engine.crypto), isOurs: true }
  const { hash } = found.identity
  if (isMutated(engine, found)) return notTaken(hash, MUTATED)
  if (isCheap(engine, found)) return notTaken(hash)
  const verdict = yield* acceptBlock(engine, found, undefined, requested ? undefined : wantedUnasked(engine))
  if (Result.isFailure(verdict)) return notTaken(hash, verdict.failure)
  const { isNew, node } = verdict.success
  return isNew
    ? { answer: { hash: hash.slice(), isNew, rejection: undefined }, stored: { node, bytes: block.bytes.length, inputs: inputCount(block) } }
    : notTaken(hash)
})
