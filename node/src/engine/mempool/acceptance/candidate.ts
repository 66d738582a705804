import type { Height } from "@lockstep/kernel/quantities"
import type { Appraisal } from "@lockstep/kernel/relay"
import type { Transaction } from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import type { TxHandle } from "@lockstep/txgraph"
import type { UnixSeconds } from "../../../quantities.ts"
import type { LockPoints, NewEntry } from "../../txmempool/contract.ts"
import type { Subject } from "./rig.ts"

/** A transaction that passed its own checks and still needs those against the whole mempool. */
export interface MempoolCandidate extends Subject {
  readonly coins: ReadonlyArray<Coin>
  readonly appraisal: Appraisal
  readonly locks: LockPoints
  /** Entries whose outputs it spends. */
  readonly parents: ReadonlyMap<TxHandle, Transaction>
  /** Entries that it replaces directly. */
  readonly conflicts: ReadonlyArray<TxHandle>
  /** True if `conflicts` contains a sibling, with which it shares no input. */
  readonly evictsSibling: boolean
}

export const newEntryOf = (
  { appraisal, coins, locks, tx, txid, wtxid }: MempoolCandidate,
  time: UnixSeconds,
  height: Height
): NewEntry => ({
  tx,
  txid,
  wtxid,
  fee: appraisal.fee,
  weight: appraisal.weight,
  adjustedWeight: appraisal.adjustedWeight,
  sigOpCost: appraisal.sigOpCost,
  time,
  height,
  locks,
  spendsCoinbase: coins.some(({ isCoinbase }) => isCoinbase)
})
