import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { ensuring } from "../../finalizers/finalizers.ts"
import { displayHash } from "../../hex.ts"
import type { ConfirmedTransactions, TransactionOutcome } from "../chain/p2p-chain.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { RateLimitedLog } from "../peer/rate-limited-log.ts"
import { type OrphanKeeper, orphanKeeper, type OrphanKeeperOptions } from "./keep-orphan.ts"
import { findPackage, hashOfPackage, type ParentAndChild } from "./parent-and-child.ts"
import { outcomeRecorder } from "./record-outcomes.ts"
import type { ScannedTransaction } from "./scan-transaction.ts"

/** Validates transactions of peers and records the outcomes (Core: `TxDownloadManager`). */
export interface TxDownload extends Pick<OrphanKeeper, "announced"> {
  /**
   * Validates a transaction from a peer, or a package of it and a child. Then it validates the orphans assigned to this
   * peer, and one orphan of each other peer. Returns true if the transaction entered the mempool alone.
   */
  readonly take: (transaction: ScannedTransaction, peer: number) => Effect.Effect<boolean>
  /** Validates a stem transaction from a peer. One with missing inputs is forgotten, and may be sent again. */
  readonly takeStem: (transaction: ScannedTransaction, peer: number) => Effect.Effect<void>
  /**
   * Validates the ancestors of an orphan and the orphan, last, together. `id` is the hash of the package, by which a
   * rejected one is skipped later. Returns the reason of a rejection, or `undefined` if the package was accepted.
   */
  readonly takePackage: (
    members: ReadonlyArray<ScannedTransaction>,
    id: Uint8Array,
    peer: number
  ) => Effect.Effect<string | undefined>
  /** Rejects a transaction for its size alone, so that it is not requested again. */
  readonly refuse: (transaction: ScannedTransaction, peer: number, reason: string) => void
  /** Validates one assigned orphan of each peer. Returns false if no peer has any. */
  readonly tryOrphans: Effect.Effect<boolean>
  /** Processes the transactions of a block that is about to become the tip. */
  readonly confirmed: (transactions: ConfirmedTransactions) => void
  /** Processes a new tip: rejected transactions may be valid now. */
  readonly tipChanged: (isReorganisation: boolean) => void
  readonly gone: (peer: number) => void
}

export interface IntakeOptions extends Omit<OrphanKeeperOptions, "mempool"> {
  readonly context: P2pContext
  /** Called when orphans are ready to be validated again. */
  readonly orphansWait: () => void
  readonly log: RateLimitedLog
  /** The scope of calls to the engine. They do not end with a connection, as their outcome has to be recorded. */
  readonly scope: Scope.Scope
}

export const transactionIntake = (options: IntakeOptions): TxDownload => {
  const { context: { chain, crypto, notify }, log, orphansWait, requests, scope, settled } = options
  const { confirmed, orphans, reconsiderable, rejects } = settled
  const record = outcomeRecorder(settled, requests)
  const keeper = orphanKeeper({ ...options, mempool: chain.mempool })
  /** Peers whose message is being handled. Their orphans are validated before their next message. */
  const busy = new Set<number>()

  const wakeUp = (): void => {
    if (orphans.peersWithWork().length > 0) orphansWait()
  }

  const trace = ({ txid, wtxid }: ScannedTransaction, peer: number, reason: string): void =>
    notify.trace?.({ _tag: "TransactionRefused", peer, txid, wtxid, reason })

  const logRejected = (transaction: ScannedTransaction, peer: number, reason: string): void => {
    const { txid } = transaction
    trace(transaction, peer, reason)
    log("refused", "debug", "a transaction was refused", { txid: displayHash(txid), reason })
  }

  const logHopeless = (transaction: ScannedTransaction): void => {
    const { txid, wtxid } = transaction
    notify.trace?.({ _tag: "OrphanHopeless", txid, wtxid })
    log("refused", "debug", "a transaction was refused", { txid: displayHash(txid), reason: "a parent was refused" })
  }

  /**
   * Records an outcome. `isFirst` means that a peer has just sent the transaction, and not that it was in the orphanage
   * or a package.
   */
  const conclude = (
    transaction: ScannedTransaction,
    outcome: TransactionOutcome | undefined,
    peer: number,
    isFirst: boolean
  ): void => {
    switch (outcome?._tag) {
      case undefined:
        return
      case "Accepted":
        record.accepted(transaction)
        return wakeUp()
      case "InMempool":
        return record.isHere(transaction)
      case "OtherWitness":
        logRejected(transaction, peer, "txn-same-nonwitness-data-in-mempool")
        return record.rejected(transaction, "other witness")
      case "Rejected": {
        const { missing, rejection: { debug, reason, what } } = outcome
        if (what !== "missing inputs") {
          logRejected(transaction, peer, debug === undefined ? reason : `${reason}, ${debug}`)
          return record.rejected(transaction, what)
        }
        trace(transaction, peer, reason)
        if (!isFirst || rejects.has(transaction.wtxid)) return
        if (keeper.keep(transaction, peer, missing)) return wakeUp()
        logHopeless(transaction)
        return record.hopeless(transaction)
      }
    }
  }

  const lasting = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.flatMap(Effect.forkIn(effect, scope, { startImmediately: true }), Fiber.join)

  /**
   * Validates a transaction and returns the outcome. The bytes are copied, as they may be transferred to another
   * thread.
   */
  const judge = (
    transaction: ScannedTransaction,
    peer: number,
    isFirst: boolean
  ): Effect.Effect<TransactionOutcome | undefined> =>
    lasting(Effect.tap(
      Effect.suspend(() => chain.acceptTransaction(transaction.bytes.slice(), isFirst ? "first sight" : "again")),
      (outcome) => Effect.sync(() => conclude(transaction, outcome, peer, isFirst))
    ))

  /**
   * Validates a parent and child. The child's outcome is recorded first, so that it is no orphan when the children of
   * the parent are looked up.
   */
  const judgePackage = (both: ParentAndChild, peer: number): Effect.Effect<void> =>
    lasting(Effect.map(
      Effect.suspend(() => chain.acceptPackage([both.parent.bytes.slice(), both.child.bytes.slice()])),
      (answer) => {
        if (answer === undefined) return
        notify.trace?.({ _tag: "PackageJudged", ...both, peer, isAccepted: answer.failure === undefined })
        if (answer.failure !== undefined) reconsiderable.add(hashOfPackage(both, crypto))
        conclude(both.child, answer.outcomes[1], peer, false)
        conclude(both.parent, answer.outcomes[0], peer, false)
      }
    ))

  const takePackage: TxDownload["takePackage"] = (members, id, peer) =>
    lasting(Effect.map(
      Effect.suspend(() => chain.acceptPackage(members.map(({ bytes }) => bytes.slice()), "ancestor package")),
      (answer) => {
        if (answer === undefined) return "not judged"
        const { failure, outcomes } = answer
        for (const [i, each] of members.toReversed().entries()) conclude(each, outcomes.at(-1 - i), peer, false)
        if (failure === undefined) return undefined
        reconsiderable.add(id)
        const [first] = outcomes.flatMap((each) => each?._tag === "Rejected" ? [each.rejection.reason] : [])
        return failure.isPolicy ? failure.reason : first ?? failure.reason
      }
    ))

  /** Validates a parent that pays too little with a child that the same peer announced. */
  const tryWithChild = (parent: ScannedTransaction, peer: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      const found = findPackage(parent, peer, settled, crypto)
      return found === undefined ? Effect.void : judgePackage(found, peer)
    })

  /** Validates one orphan assigned to a peer. Returns false if it has none. */
  const tryNext = (peer: number): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const orphan = orphans.nextToTry(peer)
      if (orphan === undefined) return Effect.succeed(false)
      return Effect.as(judge(orphan, peer, false), true)
    }).pipe(Effect.catchCause((cause) =>
      Effect.sync(() => {
        log("defect:orphan", "error", "a defect in the network layer", {
          where: "an orphan",
          defect: Cause.pretty(cause)
        })
        return true
      })
    ))

  const tryAll = Effect.fnUntraced(function*(peer: number) {
    while (yield* tryNext(peer)) yield* Effect.yieldNow
  })

  const takeNew = Effect.fnUntraced(function*(transaction: ScannedTransaction, peer: number) {
    const outcome = yield* judge(transaction, peer, true)
    if (outcome?._tag === "Rejected" && outcome.rejection.what === "reconsiderable") {
      yield* tryWithChild(transaction, peer)
    }
    return outcome?._tag === "Accepted"
  })

  /** Allows one round at a time. A caller that waits for a round also waits for the orphans being validated. */
  const rounds = Semaphore.makeUnsafe(1)

  const tryOrphans: TxDownload["tryOrphans"] = rounds.withPermit(Effect.suspend(() => {
    const peers = orphans.peersWithWork().filter((peer) => !busy.has(peer))
    return Effect.as(Effect.forEach(peers, tryNext, { discard: true }), peers.length > 0)
  }))

  return {
    announced: keeper.announced,
    take: (transaction, peer) =>
      Effect.gen(function*() {
        busy.add(peer)
        const isKnown = reconsiderable.has(transaction.wtxid)
        const isNew = isKnown ? false : yield* takeNew(transaction, peer)
        if (isKnown) yield* tryWithChild(transaction, peer)
        yield* tryAll(peer)
        // All other peers have their turn before the next message of this one (Core: `ThreadMessageHandler`).
        yield* tryOrphans
        return isNew
      }).pipe(ensuring(Effect.sync(() => busy.delete(peer)))),
    takeStem: (transaction, peer) => Effect.asVoid(judge(transaction, peer, false)),
    takePackage,
    refuse: (transaction, peer, reason) => {
      logRejected(transaction, peer, reason)
      record.rejected(transaction, "not standard")
    },
    tryOrphans,
    confirmed: (transactions) => {
      const count = record.confirmed(transactions)
      if (count > 0) notify.trace?.({ _tag: "OrphansErased", count })
    },
    tipChanged: (isReorganisation) => {
      rejects.clear()
      reconsiderable.clear()
      confirmed.tipChanged(isReorganisation)
    },
    gone: (peer) => orphans.gone(peer)
  }
}
