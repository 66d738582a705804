import { decodeTransaction } from "@lockstep/kernel/model"
import type { TxHandle } from "@lockstep/txgraph"
import * as Result from "effect/Result"
import type { Committed, Removed, Staged } from "../../txmempool/contract.ts"
import type { Entered } from "../contract.ts"
import type { Rig } from "./rig.ts"

const remember = ({ engine: { clock }, history }: Rig, removed: ReadonlyArray<Removed>): void => {
  if (removed.length === 0) return
  history.record(removed.map(({ entry: { bytes } }) => Result.getOrThrow(decodeTransaction(bytes))), clock.now())
}

/** Commits a staged change that fits and announces the entries that it replaced. The caller announces the added ones. */
export const commitStaged = (rig: Rig, staged: Staged): Committed => {
  const committed = staged.commit()
  if (committed === undefined) throw new Error("a cluster that fitted is too large")
  remember(rig, committed.removed)
  if (committed.removed.length > 0) rig.announceRemoved(committed.removed)
  return committed
}

/** Announces those entries that are still in the mempool. */
export const announceEntries = (rig: Rig, added: ReadonlyArray<TxHandle>, entered: Entered): void => {
  for (const tx of added) rig.announceAdded(tx, entered)
}
