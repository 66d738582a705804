import * as Effect from "effect/Effect"
import { otherSpace } from "../../coins/coin-space.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { commit, TIP_KEY } from "../chainstate/commit.ts"
import { breakDown } from "../chainstate/faults.ts"
import { ancestorAt } from "@lockstep/kernel/chain"
import { putChangedEntries } from "../header-index/header-entry.ts"
import { clearStatus, has, type HeaderIndex } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { HeaderStatus } from "../header-index/header-status.ts"
import { markInvalid } from "../header-index/mark-invalid.ts"
import { COINS_RECORD_KEY, encodeCoinsRecord } from "../state/coins-record.ts"
import type { BackgroundChain, Snapshot } from "../state/snapshot.ts"

/** The message of Bitcoin Core. */
const words = (from: number, to: number): string =>
  `Lockstep failed to validate the -assumeutxo snapshot state. This indicates a hardware problem, or a bug in the ` +
  `software, or a bad software modification that allowed an invalid snapshot to be loaded. As a result of this, the ` +
  `node will shut down and stop using any state that was built on the snapshot, resetting the chain height from ` +
  `${from} to ${to}. On the next restart, the node will resume syncing from ${to} without using any snapshot data. ` +
  `Report this incident to the maintainers, and say where the snapshot came from.`

/** Undoes the conclusions from the coins of a snapshot, in all blocks outside the chain that ends at `tip`. */
export const takeBackConclusions = (tree: HeaderIndex, tip: HeaderIndexNode): void => {
  for (const node of tree.nodes) {
    const isOnBoth = node.height <= tip.height && ancestorAt(tip, node.height) === node
    const concluded = has(tree, node, HeaderStatus.UNDO | HeaderStatus.CONNECTED)
    if (!isOnBoth && concluded) clearStatus(tree, node, HeaderStatus.UNDO | HeaderStatus.CONNECTED)
  }
}

/**
 * Abandons a snapshot because its coins were wrong or because a block before it (`invalid`) is invalid. The next start
 * continues with the background chain, and the node stops. The conclusions from those coins are undone: undo data and
 * the marks of connected blocks.
 */
export const abandonSnapshot = Effect.fnUntraced(function*(
  engine: ChainEngine,
  { base }: Snapshot,
  { tip }: BackgroundChain,
  invalid?: HeaderIndexNode
): Effect.fn.Return<void, StorageError> {
  const { chainstates, tree } = engine
  yield* commit(engine)
  // Not earlier: until the batch the tip is above this block.
  if (invalid !== undefined) markInvalid(tree, invalid)
  takeBackConclusions(tree, tip)
  const record = { active: otherSpace(chainstates.active), hasLeftover: true, background: undefined }
  yield* chainstates.whole.write((batch) => {
    putChangedEntries(tree, batch)
    batch.put(TIP_KEY, tip.hash)
    batch.put(COINS_RECORD_KEY, encodeCoinsRecord(record))
  })
  engine.crashPoint("snapshot-abandoned")
  breakDown(engine, words(Math.max(tree.tip.height, base.height), tip.height))
})
