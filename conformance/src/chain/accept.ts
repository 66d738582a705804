import { checkBlock, checkBlockInContext } from "@lockstep/kernel/internal/block/check-block.ts"
import { bytesEqual } from "@lockstep/kernel/internal/bytes/equal.ts"
import { checkHeader } from "@lockstep/kernel/internal/header/check-header.ts"
import { blockIdentity } from "@lockstep/kernel/internal/model/block-identity.ts"
import type { Header } from "@lockstep/kernel/internal/model/header.ts"
import { blockHash } from "@lockstep/kernel/internal/model/identity.ts"
import { proofOfWork } from "@lockstep/kernel/internal/work/proof-of-work.ts"
import {
  KNOWN_INVALID,
  PARENT_INVALID,
  PARENT_MISSING,
  type Rejection,
  rejectionOf
} from "@lockstep/protocol/rejection/rejection.ts"
import * as Result from "effect/Result"
import { markInvalid } from "./activate.ts"
import { addHeader, type Entry, entryOf, type Store, type StoredBlock } from "./store.ts"

/** What became of something that was offered: an entry of the tree, or why not. */
export type Acceptance = Result.Result<Entry, Rejection>

/** Puts a header into the tree, if it is one and its parent is there and not invalid. */
export const acceptHeader = (store: Store, header: Header): Acceptance => {
  const { crypto, now, parameters } = store
  const hash = blockHash(header, crypto)
  const known = entryOf(store, hash)
  if (known !== undefined) return known.invalid ? Result.fail(KNOWN_INVALID) : Result.succeed(known)
  const work = proofOfWork(hash, header.bits, parameters.work.powLimit)
  if (Result.isFailure(work)) return Result.fail(rejectionOf(work.failure))
  const parent = entryOf(store, header.previous)
  if (parent === undefined) return Result.fail(PARENT_MISSING)
  if (parent.invalid) return Result.fail(PARENT_INVALID)
  const inContext = checkHeader(header, parent.node, now, parameters)
  return Result.isFailure(inContext)
    ? Result.fail(rejectionOf(inContext.failure))
    : Result.succeed(addHeader(store.entries, parent, header, hash))
}

/** Numbers the blocks that are now linked to the genesis block in the order in which that shows. */
const link = (store: Store, entry: Entry): void => {
  const queue = [entry]
  for (const each of queue) {
    each.linked = true
    each.sequence = store.nextSequence++
    const waiting = each.children.filter(({ block }) => block !== undefined)
    queue.push(...waiting.sort((a, b) => a.arrival - b.arrival))
  }
}

/** A block that is there, and whether that is news. */
interface Stored {
  readonly entry: Entry
  readonly isNew: boolean
}

/**
 * Takes a block in: by itself, its header, in its place; then it is stored, which is news, or was already. A block that
 * is not what its header says leaves no mark on the header.
 */
export const acceptBlock = (store: Store, stored: StoredBlock): Result.Result<Stored, Rejection> => {
  const { crypto, parameters } = store
  const block = stored.load()
  const identity = blockIdentity(block, crypto)
  const itself = checkBlock(block, identity, parameters, crypto)
  if (Result.isFailure(itself)) return Result.fail(rejectionOf(itself.failure))
  const header = acceptHeader(store, block.header)
  if (Result.isFailure(header)) return Result.fail(header.failure)
  const entry = header.success
  if (entry.block !== undefined) return Result.succeed({ entry, isNew: false })
  const inContext = checkBlockInContext(block, identity, entry.parent!.node, parameters, crypto)
  if (Result.isFailure(inContext)) {
    const rejection = rejectionOf(inContext.failure)
    if (rejection.class !== "mutated") markInvalid(entry)
    return Result.fail(rejection)
  }
  entry.block = stored
  entry.arrival = store.nextArrival++
  if (entry.parent!.linked) link(store, entry)
  return Result.succeed({ entry, isNew: true })
}

/** Whether `header` goes on top of the tip. */
export const followsTip = (store: Store, header: Header): boolean => bytesEqual(header.previous, store.tip.node.hash)
