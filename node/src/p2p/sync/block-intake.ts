import { blockHash } from "@lockstep/kernel/model/identity.ts"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { BlockMessage } from "@lockstep/protocol/wire/messages/block.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { nodeOf } from "../../engine/header-tree/header-tree.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import { forget, noteArrived } from "./blocks-in-flight.ts"
import { requestBlocks } from "./download.ts"
import { hashKey } from "./hash-key.ts"
import type { PeerSync } from "./peer-sync.ts"
import { punish } from "./punish.ts"
import { REMEMBERED_SENDERS, STALL_TIMEOUT, STALL_TIMEOUT_DECAY, WAITING_BLOCK_BYTES } from "./sync-limits.ts"
import type { SyncState } from "./sync-state.ts"

const rememberSender = ({ sources }: SyncState, key: string, from: PeerSync): void => {
  sources.set(key, from)
  if (sources.size > REMEMBERED_SENDERS) sources.delete(sources.keys().next().value!)
}

/** Who sent a block need not be told of it. Whether it has the chain that the block is of is not known by that. */
const noteSender = ({ context: { chain } }: SyncState, from: PeerSync, hash: Uint8Array): void => {
  const node = nodeOf(chain.tree, hash)
  if (node !== undefined && node.chainWork > (from.bestSent?.chainWork ?? 0n)) from.bestSent = node
}

const give = Effect.fnUntraced(function*(sync: SyncState, from: PeerSync, bytes: Uint8Array, key: string, requested: boolean) {
  const size = bytes.length
  const { hash, isNew, rejection } = yield* sync.context.chain.acceptBlock(bytes, requested).pipe(
    Effect.ensuring(Effect.sync(() => {
      from.waitingBytes -= size
      sync.arriving.delete(key)
    }))
  )
  if (isNew) noteSender(sync, from, hash)
  if (!isNew) sync.sources.delete(key)
  if (rejection !== undefined) punish(from, rejection)
})

/**
 * A block. It is asked of nobody else while the engine looks at it. The peer goes on sending unless much of it waits: then
 * its next message waits too.
 */
export const takeBlock = (
  sync: SyncState,
  from: PeerSync,
  { bytes, header }: BlockMessage,
  scope: Scope.Scope
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { chain, crypto, environment } = sync.context
    const now = environment.now()
    const hash = blockHash(header, crypto)
    const key = hashKey(hash)
    from.peer.traffic.lastBlock = now
    const node = nodeOf(chain.tree, hash)
    const requested = node !== undefined && sync.inFlight.has(node.index)
    // Only what this peer was asked for: one that sends rubbish must not end the waiting for others (CVE-2024-52921).
    if (node !== undefined && forget(sync, node, now, from)) noteArrived(sync, from, now)
    if (sync.arriving.has(key)) return Effect.void
    // Before anything else is asked for: this block is not missing any more.
    sync.arriving.add(key)
    from.waitingBytes += bytes.length
    rememberSender(sync, key, from)
    const giving = give(sync, from, bytes, key, requested)
    requestBlocks(sync, from, now)
    return from.waitingBytes > WAITING_BLOCK_BYTES ? giving : Effect.asVoid(Effect.forkIn(giving, scope, { startImmediately: true }))
  })

/** A block was connected, or could not be. */
export const takeVerdict = (sync: SyncState, node: TreeNode, rejection: Rejection | undefined): void => {
  const key = hashKey(node.hash)
  const from = sync.sources.get(key)
  sync.sources.delete(key)
  if (rejection === undefined) {
    sync.stallTimeout = Math.max(STALL_TIMEOUT, sync.stallTimeout * STALL_TIMEOUT_DECAY)
  } else if (from !== undefined && !from.peer.isGone) {
    punish(from, rejection)
  }
}
