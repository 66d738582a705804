import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { ConfirmedTransactions, P2pChain } from "../chain/p2p-chain.ts"
import { transactionsIn } from "./scan-transaction.ts"

/**
 * Transactions of the newest block, served until the next tip. A peer that has the block may know them from it. A peer
 * that has not seen its announcement may still request them.
 */
export interface NewestBlock {
  /** Records the transactions of a block that is about to become the tip. */
  readonly confirmed: (transactions: ConfirmedTransactions) => void
  readonly tipChanged: (tip: HeaderIndexNode) => void
  /** Returns the bytes of a transaction, or `undefined` if it is not in the newest block. */
  readonly find: (entry: InventoryEntry) => Effect.Effect<Uint8Array | undefined>
}

interface Newest {
  readonly node: HeaderIndexNode
  readonly ids: ConfirmedTransactions
  /** Its transactions without the coinbase, read on the first request. */
  transactions: ReadonlyArray<Uint8Array> | undefined
}

const indexIn = (hashes: Uint8Array, hash: Uint8Array): number => {
  for (let at = 0; at < hashes.length; at += 32) {
    if (hashes[at] === hash[0] && bytesEqual(hashes.subarray(at, at + 32), hash)) return at / 32
  }
  return -1
}

export const newestBlock = ({ blockBytes }: Pick<P2pChain, "blockBytes">): NewestBlock => {
  let newest: Newest | undefined
  /** Transactions of a block that is connected but not yet reported as the tip. */
  let next: ConfirmedTransactions | undefined

  const read = (block: Newest): Effect.Effect<ReadonlyArray<Uint8Array>> =>
    Effect.suspend(() => {
      if (block.transactions !== undefined) return Effect.succeed(block.transactions)
      return Effect.map(blockBytes(block.node), (bytes) => {
        block.transactions ??= bytes === undefined ? [] : transactionsIn(bytes).slice(1)
        return block.transactions
      })
    })

  return {
    confirmed: (transactions) => {
      next = transactions
    },
    tipChanged: (node) => {
      newest = next === undefined ? undefined : { node, ids: next, transactions: undefined }
      next = undefined
    },
    find: ({ hash, type }) =>
      Effect.suspend(() => {
        if (newest === undefined) return Effect.succeed(undefined)
        const index = indexIn(type === InventoryType.WTX ? newest.ids.wtxids : newest.ids.txids, hash)
        return index < 0 ? Effect.succeed(undefined) : Effect.map(read(newest), (all) => all[index])
      })
  }
}
