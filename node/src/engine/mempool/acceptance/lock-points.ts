import { ancestorAt } from "@lockstep/kernel/chain"
import type { Transaction } from "@lockstep/kernel/model"
import { sequenceLocks } from "@lockstep/kernel/tx"
import type { Coin } from "@lockstep/kernel/utxo"
import type { HeaderIndexNode } from "../../header-index/header-index-node.ts"
import type { LockPoints } from "../../txmempool/contract.ts"

/**
 * Computes when the relative locks of a transaction allow it into a block on the chain of `tip`. Precondition: coins of
 * the mempool have the height of the next block.
 */
export const lockPointsOf = (tx: Transaction, coins: ReadonlyArray<Coin>, tip: HeaderIndexNode): LockPoints => {
  let confirmed = 0
  for (const { height } of coins) if (height <= tip.height && height > confirmed) confirmed = height
  return { ...sequenceLocks(tx, coins, tip), block: ancestorAt(tip, confirmed)!.hash }
}
