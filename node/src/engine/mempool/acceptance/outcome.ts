import type { FeeRate } from "@lockstep/kernel/relay"
import { relayRejectionOf } from "@lockstep/protocol/rejection/relay-rejection.ts"
import type { Offender } from "@lockstep/protocol/rejection/debug-message.ts"
import { displayHash } from "../../../hex.ts"
import type { TransactionOutcome } from "../../api/mempool-calls.ts"
import type { Removed } from "../../txmempool/contract.ts"
import type { MempoolCandidate } from "./candidate.ts"
import type { Refusal } from "./refusal.ts"
import type { Rig, Subject } from "./rig.ts"

type Replaced = ReadonlyArray<{ readonly txid: Uint8Array; readonly bytes: Uint8Array }>

const offenderOf = ({ tx, txid, wtxid }: Subject): Offender => ({
  txid: displayHash(txid),
  wtxid: displayHash(wtxid),
  spends: tx.inputs.map(({ prevout }) => ({ txid: displayHash(prevout.txid), vout: prevout.vout }))
})

/** The reason why a transaction, or the package that it represents, is rejected. */
export const rejectionFor = (subject: Subject, { how, violation }: Refusal) =>
  relayRejectionOf(violation, offenderOf(subject), how)

/** The outcome of a transaction that the mempool rejects or already contains. */
export const refusedOutcome = ({ state }: Rig, subject: Subject, refused: Refusal): TransactionOutcome => {
  const { txid, wtxid } = subject
  const { rule } = refused.violation
  if (rule === "POL-085" || rule === "POL-086") {
    const pooled = state.entry(state.ofTxid(txid)!)
    return rule === "POL-086"
      ? { _tag: "OtherWitness", txid, wtxid, inMempool: pooled.wtxid }
      : { _tag: "InMempool", txid, wtxid, fee: pooled.fee, virtualSize: pooled.virtualSize }
  }
  const { debug, reason, what } = rejectionFor(subject, refused)
  return { _tag: "Rejected", txid, wtxid, rejection: { reason, debug, what }, missing: refused.missing }
}

/** The outcome of a transaction that was evicted at once because the mempool is full. In a package its fee may suffice. */
export const fullOutcome = ({ txid, wtxid }: Subject, isInPackage: boolean): TransactionOutcome => ({
  _tag: "Rejected",
  txid,
  wtxid,
  rejection: {
    reason: "mempool full",
    debug: undefined,
    what: isInPackage ? "mempool policy" : "reconsiderable"
  },
  missing: []
})

export const replacedEntries = (removed: ReadonlyArray<Removed>): Replaced =>
  removed.map(({ entry: { bytes, txid } }) => ({ txid, bytes }))

/** `together` has the feerate and the wtxids of the transactions that it was judged with. */
export const acceptedOutcome = (
  { appraisal, txid, wtxid }: MempoolCandidate,
  replaced: Replaced,
  together?: { readonly feerate: FeeRate; readonly wtxids: ReadonlyArray<Uint8Array> }
): TransactionOutcome => ({
  _tag: "Accepted",
  txid,
  wtxid,
  fee: appraisal.fee,
  weight: appraisal.weight,
  virtualSize: appraisal.size,
  feerate: together?.feerate ?? { fee: appraisal.modifiedFee, size: appraisal.size },
  feerateOf: together?.wtxids ?? [wtxid],
  replaced
})
