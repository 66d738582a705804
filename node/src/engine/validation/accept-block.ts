import { checkBlock, checkBlockInContext, checkWitnessCommitment } from "@lockstep/kernel/block"
import { checkHeader } from "@lockstep/kernel/header"
import type { Header } from "@lockstep/kernel/model"
import { proofOfWork } from "@lockstep/kernel/work"
import {
  KNOWN_INVALID,
  PARENT_INVALID,
  PARENT_MISSING,
  type Rejection,
  rejectionOf,
  rejectionText
} from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { FilePosition } from "../../storage/block-files/block-files.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { NewBlockContents } from "../api/engine-notification.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { IdentifiedBlock } from "../state/identified-block.ts"
import { whenThereIsSpace } from "../chainstate/disk-full.ts"
import { displayHash } from "../../hex.ts"
import { setBlockPlace } from "../header-index/block-place.ts"
import { HeaderStatus } from "../header-index/header-status.ts"
import { addHeader, has, isInvalid, nodeOf } from "../header-index/header-index.ts"
import { linkBlock, reviveCandidates } from "../header-index/link-block.ts"
import { markInvalid } from "../header-index/mark-invalid.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { blockRejection } from "./offender.ts"
import { notifyEvent } from "../notify/notifications.ts"
import { notifyRefused } from "../notify/notify-refused.ts"
import { yieldToEventLoop } from "../options/yield-to-event-loop.ts"

/** Adds a header to the index if it is valid and its parent is known and not invalid. `hash` is that of the header. */
export const acceptHeader = (
  engine: ChainEngine,
  header: Header,
  hash: Uint8Array
): Result.Result<HeaderIndexNode, Rejection> => {
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

/** A stored block, and whether it is new. */
export interface Accepted {
  readonly node: HeaderIndexNode
  readonly isNew: boolean
}

const violated = (engine: ChainEngine, hash: Uint8Array, rejection: Rejection): Result.Result<never, Rejection> => {
  const { rule } = rejection
  const violation = { block_hash: displayHash(hash), reason: rejectionText(rejection) }
  if (rule !== undefined) notifyEvent(engine, "ConsensusRuleViolation", { ...violation, rule })
  notifyRefused(engine, hash, { what: "block", rejection })
  return Result.fail(rejection)
}

/** Decides whether a block whose header is in the index should be stored. */
export type Wanted = (node: HeaderIndexNode) => boolean

const ANY: Wanted = () => true

/** Validates a block as far as possible without coins, and adds its header to the index. */
const judgeArrival = (
  engine: ChainEngine,
  { block, identity }: IdentifiedBlock,
  wanted: Wanted
): Result.Result<Accepted, Rejection> => {
  const { crypto, parameters, tree } = engine
  const itself = checkBlock(block, identity, parameters, crypto)
  if (Result.isFailure(itself)) return Result.fail(blockRejection(itself.failure, block, crypto))
  const header = acceptHeader(engine, block.header, identity.hash)
  if (Result.isFailure(header)) return Result.fail(header.failure)
  const node = header.success
  if (has(tree, node, HeaderStatus.STORED) || !wanted(node)) return Result.succeed({ node, isNew: false })
  // The genesis block arrives again after it was pruned. Its hash commits to everything except the presence of
  // witnesses.
  const inContext = node.parent === undefined
    ? checkWitnessCommitment(block, identity, parameters.heights.segwit === 0, crypto)
    : checkBlockInContext(block, identity, node.parent, parameters, crypto)
  if (Result.isFailure(inContext)) {
    const rejection = rejectionOf(inContext.failure)
    if (rejection.class !== "mutated") markInvalid(tree, node)
    return Result.fail(rejection)
  }
  return Result.succeed({ node, isNew: true })
}

/**
 * Copies the contents, because a view would transfer its whole buffer. Returns `undefined` if the wtxids were not
 * computed.
 */
const contentsOf = ({ block: { transactions }, witnessIds }: IdentifiedBlock): NewBlockContents | undefined =>
  witnessIds && { coinbase: new Uint8Array(transactions[0]!.bytes), witnessIds: new Uint8Array(witnessIds) }

/**
 * Notifies of a block that is about to become the tip, so that it is announced while its scripts are verified (Core:
 * `NewPoWValidBlock`). The message leaves before the work on the block begins.
 */
const notifyNewBlock = (
  { feed, initialBlockDownload, notify, tree }: ChainEngine,
  node: HeaderIndexNode,
  place: FilePosition,
  found: IdentifiedBlock
): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (initialBlockDownload || !feed.isFollowed() || node.parent !== tree.tip) return Effect.void
    feed.flush()
    notify({ _tag: "NewBlock", index: node.index, place, contents: contentsOf(found) })
    return yieldToEventLoop
  })

/**
 * Accepts a block: checks the block itself, its header, and the block in its position. Then it is stored, unless it was
 * stored before. A block that does not match its header does not mark the header. `place` is the position of its bytes
 * if they are in a file; otherwise they are appended. A block that is not `wanted` is not stored.
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
  if (place === undefined) engine.crashPoint("block-appended")
  const wasHere = has(tree, node, HeaderStatus.PRUNED)
  setBlockPlace(tree, node, position, block.transactions.length)
  // A pruned block that is received again is as linked as it was.
  if (wasHere) reviveCandidates(tree, node)
  else linkBlock(tree, node)
  // A block that waits for its ancestors does not evict those that are next.
  if (has(tree, node, HeaderStatus.LINKED)) recent.put(node.index, found)
  else recent.offer(node.index, found)
  yield* notifyNewBlock(engine, node, position, found)
  return arrival
})
