import { bytesEqual } from "@lockstep/kernel/bytes"
import type { EngineNotification } from "../engine/api/engine-notification.ts"
import { bytesOfDigits } from "../hex.ts"

/** A message to publish. Hashes are in display order. */
export type Published =
  | { readonly _tag: "Connected" | "Disconnected" | "Tip"; readonly hash: Uint8Array }
  | { readonly _tag: "Added"; readonly txid: Uint8Array; readonly bytes: Uint8Array; readonly sequence: number }
  | { readonly _tag: "Removed"; readonly txid: Uint8Array; readonly sequence: number }

type Notified<T extends EngineNotification["_tag"]> = Extract<EngineNotification, { readonly _tag: T }>

const reversed = (hash: Uint8Array): Uint8Array => hash.toReversed()

/**
 * Selects the blocks that are published as a new tip: after the initial block download each one with more work than the
 * tip before it. So a reorganization publishes only its last block, and a mere disconnection publishes none. A state
 * comes before the blocks that led to it.
 */
const publishedTips = () => {
  /** Work of the last published tip, or of the block to which the chain was rolled back. */
  let work: bigint | undefined
  let present: Notified<"State">["state"] | undefined
  const isPresent = (hash: Uint8Array): boolean => present !== undefined && bytesEqual(present.hash, hash)
  return {
    tip: ({ tip: { chainWork, hash } }: Notified<"Tip">): Published | undefined => {
      if (present?.initialBlockDownload !== false) return undefined
      if (work !== undefined && chainWork <= work && !isPresent(hash)) return undefined
      work = chainWork
      return { _tag: "Tip", hash: reversed(hash) }
    },
    state: ({ state }: Notified<"State">): Published | undefined => {
      const isFirst = present === undefined
      present = state
      if (work === undefined || state.initialBlockDownload || state.chainWork < work) work = state.chainWork
      // Bitcoin Core connects the genesis block when it creates a chain, and publishes that.
      return isFirst && state.height === 0 ? { _tag: "Connected", hash: reversed(state.hash) } : undefined
    }
  }
}

/** Makes a function that turns the engine's notifications into messages to publish, in their order. */
export const publishedOf = (): (notification: EngineNotification) => Published | undefined => {
  const tips = publishedTips()
  return (notification) => {
    switch (notification._tag) {
      case "Event":
        return notification.event.type === "NewBlock"
          ? { _tag: "Connected", hash: bytesOfDigits(notification.event.payload.block_hash)! }
          : undefined
      case "Disconnected":
        return { _tag: "Disconnected", hash: reversed(notification.hash) }
      case "TransactionAdded": {
        const { sequence, transaction: { bytes, txid } } = notification
        return { _tag: "Added", txid: reversed(txid), bytes, sequence }
      }
      case "TransactionRemoved":
        // The block that contains it is published instead.
        return notification.reason === "block"
          ? undefined
          : { _tag: "Removed", txid: reversed(notification.txid), sequence: notification.sequence }
      case "Tip":
        return tips.tip(notification)
      case "State":
        return tips.state(notification)
      default:
        return undefined
    }
  }
}
