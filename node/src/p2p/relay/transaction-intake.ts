import { isZero } from "@lockstep/kernel/bytes"
import { SCRIPT_ERROR_TEXTS } from "@lockstep/protocol/rejection/script-error-text.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { AcceptedTransaction, ConfirmedTransactions } from "../chain/p2p-chain.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { RateLimitedLog } from "../peer/rate-limited-log.ts"
import { displayHash } from "../../hex.ts"
import type { Orphan } from "./orphanage.ts"
import { orphanWorkQueue } from "./orphan-work-queue.ts"
import type { TransactionIds } from "./recently-confirmed.ts"
import type { ScannedTransaction } from "./scan-transaction.ts"
import type { SettledTransactions } from "./settled-transactions.ts"
import type { TxRequestTracker } from "./tx-request-tracker.ts"

/** Judges transactions that came from peers, and remembers the results. */
export interface TxDownload {
  /**
   * A peer announced a transaction. If it is an orphan, its parents may come from that peer too. Answers whether it is
   * one.
   */
  readonly named: (wtxid: Uint8Array, peer: number) => boolean
  /**
   * Has a transaction of a peer judged, and then the orphans of this peer that waited for it. Answers whether the
   * transaction is in the mempool now.
   */
  readonly take: (transaction: ScannedTransaction, peer: number) => Effect.Effect<boolean>
  /** Too large to be judged: not to be requested again. */
  readonly refuse: (wtxid: Uint8Array) => void
  /** Has the next orphan judged whose parent has come in any other way. Answers whether there was one. */
  readonly tryOrphan: Effect.Effect<boolean>
  /** A block that is about to be the tip holds it. */
  readonly confirmed: (ids: TransactionIds) => void
  /** A block that is about to be the tip holds all of these. */
  readonly blockConfirmed: (transactions: ConfirmedTransactions) => void
  /** Another tip: what was rejected may be valid now. */
  readonly tipChanged: (isReorganisation: boolean) => void
  readonly gone: (peer: number) => void
  readonly orphans: () => number
}

export interface IntakeOptions {
  readonly context: P2pContext
  readonly requests: TxRequestTracker
  readonly settled: SettledTransactions
  /** Requests a parent from a peer, unless there is no use in it. */
  readonly wantParent: (peer: number, txid: Uint8Array) => void
  /** Whether a peer is still connected. */
  readonly isHere: (peer: number) => boolean
  /** There are orphans to be tried again. */
  readonly orphansWait: () => void
  readonly log: RateLimitedLog
}

/** The result for a transaction: whether it is in the mempool now, and the orphans that waited for it. */
interface Judged {
  readonly isNew: boolean
  readonly children: ReadonlyArray<Orphan>
}

/** How scripts fail without the witness that was stripped. Other failures of a transaction without one are its own. */
const WITHOUT_WITNESS = [SCRIPT_ERROR_TEXTS.WITNESS_PROGRAM_WITNESS_EMPTY, SCRIPT_ERROR_TEXTS.WITNESS_PROGRAM_MISMATCH]

/** Whether a rejected transaction may be a valid one without its witness. */
const lacksWitness = ({ hasWitness }: ScannedTransaction, reason: string): boolean =>
  !hasWitness && WITHOUT_WITNESS.some((text) => reason.includes(text))

const NOT_NEW: Judged = { isNew: false, children: [] }

export const transactionIntake = (
  { context: { chain }, isHere, log, orphansWait, requests, settled, wantParent }: IntakeOptions
): TxDownload => {
  const { confirmed, orphans, rejects } = settled

  const forget = ({ txid, wtxid }: TransactionIds): void => {
    requests.forget(txid)
    requests.forget(wtxid)
  }

  const accepted = (transaction: ScannedTransaction): Judged => {
    orphans.remove(transaction.wtxid)
    forget(transaction)
    return { isNew: true, children: orphans.childrenOf(transaction.txid) }
  }

  const logRejected = ({ txid }: ScannedTransaction, reason: string): void =>
    log("refused", "debug", "a transaction was refused", { txid: displayHash(txid), reason })

  /** No witness makes it valid: neither id is to be requested again. */
  const hopeless = (transaction: ScannedTransaction): void => {
    orphans.remove(transaction.wtxid)
    rejects.add(transaction.txid)
    rejects.add(transaction.wtxid)
    forget(transaction)
    logRejected(transaction, "a parent was refused")
  }

  const refused = (transaction: ScannedTransaction, reason: string, details = reason): void => {
    orphans.remove(transaction.wtxid)
    logRejected(transaction, details)
    // Under its txid the same transaction may come with another witness. One without witness has no other id.
    if (lacksWitness(transaction, reason)) return
    rejects.add(transaction.wtxid)
    requests.forget(transaction.wtxid)
  }

  const announcers = (
    { txid, wtxid }: ScannedTransaction
  ): ReadonlyArray<number> => [...requests.announcers(wtxid), ...requests.announcers(txid)]

  const wantParents = (peer: number, parents: ReadonlyArray<Uint8Array>): void => {
    for (const parent of parents) if (!isZero(parent)) wantParent(peer, parent)
  }

  const orphaned = (
    transaction: ScannedTransaction,
    parents: ReadonlyArray<Uint8Array>,
    peers: ReadonlyArray<number>
  ): void => {
    if (parents.some((parent) => rejects.has(parent))) return hopeless(transaction)
    // While it was judged, a peer may have announced it or disconnected.
    const all = [...new Set([...peers, ...orphans.get(transaction.wtxid)?.peers ?? [], ...announcers(transaction)])]
      .filter(isHere)
    orphans.remove(transaction.wtxid)
    orphans.add(transaction, parents, all)
    forget(transaction)
    for (const peer of all) wantParents(peer, parents)
  }

  const conclude = (
    transaction: ScannedTransaction,
    answer: AcceptedTransaction,
    peers: ReadonlyArray<number>
  ): Judged => {
    switch (answer._tag) {
      case "Accepted":
        return accepted(transaction)
      case "Known":
        orphans.remove(transaction.wtxid)
        forget(transaction)
        return NOT_NEW
      case "MissingInputs":
        orphaned(transaction, answer.parents, peers)
        return NOT_NEW
      case "Refused":
        refused(transaction, answer.reason, answer.details)
        return NOT_NEW
    }
  }

  const judge = (transaction: ScannedTransaction, peers: ReadonlyArray<number>): Effect.Effect<Judged> =>
    // The bytes may go to another thread.
    Effect.map(chain.acceptTransaction(transaction.bytes.slice()), (answer) => conclude(transaction, answer, peers))

  /** Has an orphan judged, if it is still one. Answers the orphans that waited for it. */
  const judgeOrphan = (orphan: Orphan): Effect.Effect<ReadonlyArray<Orphan>> =>
    Effect.suspend(() => {
      if (!orphans.has(orphan.transaction.wtxid)) return Effect.succeed([])
      return Effect.map(judge(orphan.transaction, [...orphan.peers]), ({ children }) => children)
    }).pipe(Effect.catchCause((cause) =>
      Effect.sync(() => {
        log("defect:orphan", "error", "a defect in the network layer", {
          where: "an orphan",
          defect: Cause.pretty(cause)
        })
        return []
      })
    ))

  const work = orphanWorkQueue(judgeOrphan, orphansWait)

  const confirm = (ids: TransactionIds): void => {
    confirmed.add(ids)
    forget(ids)
    orphans.remove(ids.wtxid)
    work.later(orphans.childrenOf(ids.txid))
  }

  return {
    named: (wtxid, peer) => {
      const orphan = orphans.get(wtxid)
      if (orphan === undefined) return false
      if (!orphan.peers.has(peer)) {
        orphans.add(orphan.transaction, orphan.parents, [peer])
        wantParents(peer, orphan.parents)
      }
      return true
    },
    take: (transaction, peer) =>
      Effect.flatMap(judge(transaction, [peer]), ({ children, isNew }) => Effect.as(work.tryOf(peer, children), isNew)),
    refuse: (wtxid) => {
      rejects.add(wtxid)
      requests.forget(wtxid)
    },
    tryOrphan: work.tryNext,
    confirmed: confirm,
    blockConfirmed: ({ spent, txids, wtxids }) => {
      for (const orphan of orphans.spenders(spent)) orphans.remove(orphan.transaction.wtxid)
      for (let at = 0; at < txids.length; at += 32) {
        confirm({ txid: txids.subarray(at, at + 32), wtxid: wtxids.subarray(at, at + 32) })
      }
    },
    tipChanged: (isReorganisation) => {
      rejects.clear()
      confirmed.tipChanged(isReorganisation)
    },
    gone: (peer) => orphans.gone(peer),
    orphans: () => orphans.size()
  }
}
