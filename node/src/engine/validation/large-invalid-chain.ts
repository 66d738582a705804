import { blockWork } from "@lockstep/kernel/work"
import * as Effect from "effect/Effect"
import { displayHash } from "../../hex.ts"
import { INVALID_CHAIN_FOUND, INVALID_CHAIN_IS_OVER, LARGE_INVALID_CHAIN } from "../api/fault-text.ts"
import type { MakeExtension } from "../chainstate/extension.ts"
import type { HeaderIndex } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { notifyEvent, notifyLog } from "../notify/notifications.ts"
import { pushState } from "../chainstate/push-state.ts"

/** Number of blocks of the tip's work by which an invalid chain must be ahead. */
const BLOCKS_AHEAD = 6n

/** Returns the end of an invalid chain that has the work of six more blocks than the active chain, or `undefined`. */
const largeInvalidChain = ({ bestInvalid, tip }: HeaderIndex): HeaderIndexNode | undefined =>
  bestInvalid !== undefined && bestInvalid.chainWork > tip.chainWork + blockWork(tip.header.bits) * BLOCKS_AHEAD
    ? bestInvalid
    : undefined

/**
 * Warns, outside the initial block download, while an invalid chain is far ahead of the active one: other nodes may
 * consider it valid. Core: `CheckForkWarningConditions`.
 */
export const largeInvalidChainWatch: MakeExtension = (engine) =>
  Effect.sync(() => {
    const { tree, warnings } = engine

    const begin = ({ chainWork, hash, height }: HeaderIndexNode): void => {
      if (warnings.has(LARGE_INVALID_CHAIN)) return
      warnings.add(LARGE_INVALID_CHAIN)
      const ahead = Number((chainWork - tree.tip.chainWork) / blockWork(tree.tip.header.bits))
      const facts = { block_hash: displayHash(hash), height, blocks_ahead: ahead }
      notifyLog(engine, "warn", INVALID_CHAIN_FOUND, facts)
      notifyEvent(engine, "LargeInvalidChainFound", facts)
    }

    const look = (): void => {
      if (engine.initialBlockDownload) return
      const found = largeInvalidChain(tree)
      if (found !== undefined) begin(found)
      else if (warnings.delete(LARGE_INVALID_CHAIN)) notifyLog(engine, "info", INVALID_CHAIN_IS_OVER)
    }
    const first = Effect.sync(() => {
      look()
      pushState(engine)
    })
    return { hooks: [{ committed: look }], first }
  })
