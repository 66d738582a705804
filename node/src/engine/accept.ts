import { checkBlock, checkBlockInContext } from "@lockstep/kernel/block/check-block.ts"
import { checkHeader } from "@lockstep/kernel/header/check-header.ts"
import type { Header } from "@lockstep/kernel/model/header.ts"
import { proofOfWork } from "@lockstep/kernel/work/proof-of-work.ts"
import {
  KNOWN_INVALID,
  PARENT_INVALID,
  PARENT_MISSING,
  type Rejection,
  rejectionOf
} from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { FilePosition } from "../storage/block-files/block-files.ts"
import type { StorageError } from "../storage/storage-error.ts"
import type { ChainEngine, IdentifiedBlock } from "./chain-engine.ts"
import { crashPoint } from "./crash-point.ts"
import { whenThereIsSpace } from "./disk-full.ts"
import { displayHash } from "./display-hash.ts"
import { setBlockPlace } from "./header-tree/block-place.ts"
import { HeaderStatus } from "./header-tree/header-status.ts"
import { addHeader, has, isInvalid, nodeOf } from "./header-tree/header-tree.ts"
import { linkBlock } from "./header-tree/link-block.ts"
import { markInvalid } from "./header-tree/mark-invalid.ts"
import type { TreeNode } from "./header-tree/tree-node.ts"
import { tellEvent } from "./tell.ts"

/** Puts a header into the tree, if it is one and its parent is there and not invalid. `hash` is the header's. */
export const acceptHeader = (engine: ChainEngine, header: Header, hash: Uint8Array): Result.Result<TreeNode, Rejection> => {
  const { clock, parameters, tree } = engine
  const known = nodeOf(tree, hash)
  if (known !== undefined) return isInvalid(tree, known) ? Result.fail(KNOWN_INVALID) : Result.succeed(known)
  const work = proofOfWork(hash, header.bits, parameters.work.powLimit)
  if (Result.isFailure(work)) return Result.fail(rejectionOf(work.failure))
  const parent = nodeOf(tree, header.previous)
  if (parent === undefined) return Result.fail(PARENT_MISSING)
  if (isInvalid(tree, parent)) return Result.fail(PARENT_INVALID)
  const inContext = checkHeader(header, parent, clock.now(), parameters)
  return Result.isFailure(inContext)
    ? Result.fail(rejectionOf(inContext.failure))
    : Result.succeed(addHeader(tree, parent, header.bytes, hash))
}

/** A block that is there, and whether that is news. */
export interface Accepted {
  readonly node: TreeNode
  readonly isNew: boolean
}

const violated = (engine: ChainEngine, hash: Uint8Array, rejection: Rejection): Result.Result<never, Rejection> => {
  const { reason, rule } = rejection
  if (rule !== undefined) tellEvent(engine, "ConsensusRuleViolation", { block_hash: displayHash(hash), rule, reason })
  return Result.fail(rejection)
}

/** Whether a block whose header is in the tree is worth being kept. */
export type Wanted = (node: TreeNode) => boolean

const ANY: Wanted = () => true

/** Judges a block as far as that goes without coins, and puts its header into the tree. */
const judgeArrival = (
  engine: ChainEngine,
  { block, identity }: IdentifiedBlock,
  wanted: Wanted
): Result.Result<Accepted, Rejection> => {
  const { crypto, parameters, tree } = engine
  const itself = checkBlock(block, identity, parameters, crypto)
  if (Result.isFailure(itself)) return Result.fail(rejectionOf(itself.failure))
  const header = acceptHeader(engine, block.header, identity.hash)
  if (Result.isFailure(header)) return Result.fail(header.failure)
  const node = header.success
  if (has(tree, node, HeaderStatus.STORED) || !wanted(node)) return Result.succeed({ node, isNew: false })
  const inContext = checkBlockInContext(block, node.parent!, parameters, crypto)
  if (Result.isFailure(inContext)) {
    const rejection = rejectionOf(inContext.failure)
    if (rejection.what !== "mutated") markInvalid(tree, node)
    return Result.fail(rejection)
  }
  return Result.succeed({ node, isNew: true })
}

/**
 * Takes a block in: by itself, its header, in its place; then it is stored, which is news, or was already. A block that is
 * not what its header says leaves no mark on the header. `place`: where its bytes stand already; none: they are appended.
 * One that is not `wanted` is not stored.
 */
export const acceptBlock = Effect.fnUntraced(function*(
  engine: ChainEngine,
  found: IdentifiedBlock,
  place?: FilePosition,
  wanted: Wanted = ANY
): Effect.fn.Return<Result.Result<Accepted, Rejection>, StorageError> {
  const { files, recent, tree } = engine
  const arrival = judgeArrival(engine, found, wanted)
  if (Result.isFailure(arrival)) return violated(engine, found.identity.hash, arrival.failure)
  const { isNew, node } = arrival.success
  if (!isNew) return arrival
  const { block } = found
  if (place !== undefined) files.adoptBlock(place, node.height)
  const position = place ?? (yield* whenThereIsSpace(engine, files.appendBlock(block.bytes, node.height)))
  crashPoint("block-appended")
  if (place === undefined) crashPoint("block-appended")
  const wasHere = has(tree, node, HeaderStatus.PRUNED)
  setBlockPlace(tree, node, position, block.transactions.length)
  // A pruned block that comes again is as linked as it was.
  if (!wasHere) linkBlock(tree, node)
  else if (has(tree, node, HeaderStatus.LINKED)) tree.candidates.add(node)
  // One that waits for others does not drive those out that are next.
  if (has(tree, node, HeaderStatus.LINKED)) recent.put(node.index, found)
  else recent.offer(node.index, found)
  return arrival
})
