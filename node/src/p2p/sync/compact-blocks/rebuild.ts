import * as Effect from "effect/Effect"
import { HeaderStatus } from "../../../engine/header-index/header-status.ts"
import { has } from "../../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { displayHash } from "../../../hex.ts"
import type { FilledBlock } from "../../chain/p2p-chain.ts"
import { holdUp, rememberSender, applyIntakeResult } from "../blocks/block-intake.ts"
import { forget, noteArrived } from "../blocks/blocks-in-flight.ts"
import { noteRefused } from "../blocks/engine-refusals.ts"
import { hashKey } from "../../basics/hash-key.ts"
import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"
import type { PartialBlock } from "./partial-block.ts"

type Accepted = Extract<FilledBlock, { readonly _tag: "Accepted" }>

/** Publishes the outcome of a reconstruction. */
export const notifyRebuilt = (
  { context: { notify } }: SyncState,
  { hash, height }: HeaderIndexNode,
  success: boolean,
  missing: number
): void => notify.event("BlockReconstructionCompleted", { block_hash: displayHash(hash), height, success, missing })

/** Logs and counts a reconstructed block. */
const report = (
  sync: SyncState,
  from: PeerSync,
  partial: PartialBlock,
  { block: { hash }, requestedBytes }: Accepted
): void => {
  const { compact: { figures }, context: { environment, notify } } = sync
  const { extra, found, missing, prefilled } = partial
  const how = missing.length === 0 ? "withoutRequest" : "withRequest"
  figures[how]++
  from.compactBlocks[how]++
  figures.transactions.prefilled += prefilled
  figures.transactions.mempool += found - extra
  figures.transactions.extra += extra
  figures.transactions.requested += missing.length
  figures.requestedBytes += requestedBytes
  figures.milliseconds += Math.max(0, environment.now() - partial.since)
  notifyRebuilt(sync, partial.node, true, missing.length)
  notify.trace?.({
    _tag: "CompactBlockRebuilt",
    hash,
    prefilled,
    found,
    extra,
    requested: missing.length,
    requestedBytes
  })
}

/** The outcome of a reconstruction in the engine. */
export type Rebuilt = "taken" | "failed" | "impossible" | "malformed" | "refused"

/**
 * Completes a block in the engine, which then accepts it. The next message of the peer waits for that. `payload`
 * contains the missing transactions.
 */
export const complete = (
  sync: SyncState,
  from: PeerSync,
  partial: PartialBlock,
  payload: Uint8Array | undefined
): Effect.Effect<Rebuilt> => {
  const { node } = partial
  const key = hashKey(node.hash)
  let rebuilt: Rebuilt = "refused"
  const settle = (filled: FilledBlock | undefined, isFirst: boolean): Rebuilt => {
    const { chain: { tree } } = sync.context
    if (filled?._tag !== "Accepted") {
      if (isFirst) sync.sources.delete(key)
      if (filled === undefined) noteRefused(sync)
      return filled === undefined
        ? "refused"
        : filled._tag === "Failed"
        ? "failed"
        : filled._tag === "Impossible"
        ? "impossible"
        : "malformed"
    }
    const { block } = filled
    if (!block.isNew && block.rejection === undefined && !has(tree, node, HeaderStatus.STORED)) {
      if (isFirst) sync.sources.delete(key)
      return "failed"
    }
    noteArrived(sync, from, sync.context.environment.now())
    if (block.isNew) report(sync, from, partial, filled)
    forget(sync, node, sync.context.environment.now(), from)
    applyIntakeResult(sync, from, block, { isFirst, isOurs: false, isCompact: true })
    return "taken"
  }
  return Effect.suspend(() => {
    const isFirst = rememberSender(sync, key, { peer: from, isCompact: true })
    const filling = Effect.map(sync.context.chain.fillCompactBlock(partial.id, payload), (filled) => {
      rebuilt = settle(filled, isFirst)
    })
    return Effect.map(holdUp(sync, from, filling), () => rebuilt)
  })
}
