import type { PayloadFault } from "@lockstep/protocol/wire/fault.ts"
import { messageBytes } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { nodeOf } from "../../../engine/header-index/header-index.ts"
import { firstRequest, forget } from "../blocks/blocks-in-flight.ts"
import type { InFlight, PeerSync } from "../peer-sync.ts"
import { requestWhole } from "../blocks/request-blocks.ts"
import type { SyncState } from "../sync-state.ts"
import type { PartialBlock } from "./partial-block.ts"
import { complete, notifyRebuilt } from "./rebuild.ts"

const HASH_BYTES = 32

/** Processes a failed reconstruction. The peer that was asked first sends the whole block; requests to others end. */
export const fallBack = (sync: SyncState, asked: InFlight): void => {
  const { node, peer: from } = asked
  if (firstRequest(sync, node) === asked) {
    asked.compact = "over"
    requestWhole(from, node)
    return
  }
  forget(sync, node, sync.context.environment.now(), from)
  sync.context.notify.trace?.({ _tag: "CompactBlockFailed", peer: from.peer.id })
}

/** Completes a block that is in flight, and applies the outcome. */
export const completeInFlight = (
  sync: SyncState,
  asked: InFlight,
  partial: PartialBlock,
  payload: Uint8Array | undefined
): Effect.Effect<void> => {
  // The engine's state ends with the attempt, unless the payload is malformed.
  asked.compact = "over"
  return Effect.map(complete(sync, asked.peer, partial, payload), (rebuilt) => {
    const { compact: { figures: { failed } }, context: { environment } } = sync
    const { node, peer: from } = asked
    if (rebuilt === "failed" || rebuilt === "impossible") notifyRebuilt(sync, node, false, partial.missing.length)
    switch (rebuilt) {
      case "taken":
        return
      case "malformed":
        asked.compact = partial
        return
      case "refused":
        return void forget(sync, node, environment.now(), from)
      case "failed":
        failed.mismatch++
        from.compactBlocks.failed++
        // It may have arrived from another peer in the meantime.
        if (from.inFlight.get(node.index) === asked) fallBack(sync, asked)
        return
      case "impossible":
        failed.impossible++
        from.compactBlocks.failed++
        forget(sync, node, environment.now(), from)
        return from.peer.discourage({ _tag: "CompactBlockMismatch" })
    }
  })
}

/**
 * Returns the message in a payload of `blocktxn`. An excess of transactions is left for the reconstruction to judge.
 */
export const blockTransactionsIn = (payload: Uint8Array): Result.Result<Uint8Array, PayloadFault> => {
  const bytes = messageBytes("blocktxn", payload)
  return Result.isFailure(bytes) && bytes.failure._tag === "TooMany" ? Result.succeed(payload) : bytes
}

/**
 * Processes `blocktxn`, the missing transactions of a block. Only what was requested is decoded. Precondition:
 * `payload` is such a message.
 */
export const receiveBlockTransactions = (sync: SyncState, from: PeerSync, payload: Uint8Array): Effect.Effect<void> => {
  const node = nodeOf(sync.context.chain.tree, payload.subarray(0, HASH_BYTES))
  const asked = node === undefined ? undefined : from.inFlight.get(node.index)
  if (asked?.compact === undefined) {
    sync.context.notify.trace?.({ _tag: "BlockTransactionsUnexpected", peer: from.peer.id })
    return Effect.void
  }
  if (asked.compact === "over") {
    forget(sync, asked.node, sync.context.environment.now(), from)
    return Effect.sync(() => from.peer.discourage({ _tag: "CompactBlockAlreadyFailed" }))
  }
  return completeInFlight(sync, asked, asked.compact, payload)
}
