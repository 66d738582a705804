import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type * as Effect from "effect/Effect"
import type { ChainState } from "../../engine/api/chain-state.ts"
import type { MempoolTransaction, PackageOutcome, TransactionOutcome } from "../../engine/api/mempool-calls.ts"
import type { AcceptedBlock, AcceptedHeaders, ConfirmedTransactions } from "../../engine/api/network-calls.ts"
import type { HeaderIndex } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { IdKind, MempoolView, PooledTransaction } from "./mempool-replica.ts"

/** The result for a block; `isRefused`: none, the engine accepts no block for the time being. It has to come again. */
export interface TakenBlock extends AcceptedBlock {
  readonly isRefused?: boolean
}

export type { AcceptedBlock, AcceptedHeaders, ConfirmedTransactions }
export type { IdKind, MempoolTransaction, MempoolView, PackageOutcome, PooledTransaction, TransactionOutcome }

/** The engine's notifications, after the header index replica and the state show the change. */
export interface ChainNotification {
  /** A block was connected, or its connection was tried and failed. */
  readonly judged: (node: HeaderIndexNode, rejection: Rejection | undefined) => void
  /** The tip is another one. `fork`: the newest block of both chains. */
  readonly tip: (tip: HeaderIndexNode, fork: HeaderIndexNode, initialBlockDownload: boolean) => void
  readonly transactionAdded: (transaction: PooledTransaction) => void
  /**
   * The transactions of a block that is about to become the tip; not in the initial download, nor while the mempool is
   * empty.
   */
  readonly confirmed: (transactions: ConfirmedTransactions) => void
  /** `block`: one that is the tip, or about to be notified as such, holds it. */
  readonly transactionRemoved: (transaction: PooledTransaction, reason: string) => void
}

/**
 * The chain as the network layer needs it: a replica of the header index, with the same indexes, that is never older
 * than any answer; and the calls to the engine. Calls that fail because the engine is gone never return: the node is
 * stopping then.
 */
export interface P2pChain {
  /** Only to be read. `columns.status` and `active` are kept up to date. */
  readonly tree: HeaderIndex
  /** `halted` also says why when the engine is about to end for good. */
  readonly state: () => ChainState
  /**
   * Headers of 80 bytes one after another, each on top of the one before. That they have enough work is the caller's
   * care.
   */
  readonly acceptHeaders: (headers: Uint8Array) => Effect.Effect<AcceptedHeaders>
  /**
   * `requested`: this node requested it. A block that was not requested is only stored where Bitcoin Core would.
   * Transfers the bytes.
   */
  readonly acceptBlock: (bytes: Uint8Array, requested: boolean) => Effect.Effect<TakenBlock>
  /** None: it is no transaction, or the engine accepts none for the time being. */
  readonly acceptTransaction: (bytes: Uint8Array) => Effect.Effect<TransactionOutcome | undefined>
  /** A child at the end, and parents of it. None: as with a transaction. */
  readonly acceptPackage: (transactions: ReadonlyArray<Uint8Array>) => Effect.Effect<PackageOutcome | undefined>
  /** Bytes of a stored block, which are the caller's; none: pruned, damaged or not here. */
  readonly blockBytes: (node: HeaderIndexNode) => Effect.Effect<Uint8Array | undefined>
  /** Adds a listener; the answer removes it again. */
  readonly listen: (news: Partial<ChainNotification>) => () => void
  readonly mempool: MempoolView
  readonly mempoolTransaction: (kind: IdKind, id: Uint8Array) => Effect.Effect<MempoolTransaction | undefined>
  /** Of these wtxids, those that are in the mempool, in mining order. None: the engine refuses, later it may not. */
  readonly inMiningOrder: (wtxids: ReadonlyArray<Uint8Array>) => Effect.Effect<ReadonlyArray<Uint8Array> | undefined>
  /** Txids of the whole mempool in mining order, one after another. None: as with `inMiningOrder`. */
  readonly mempoolIds: Effect.Effect<Uint8Array | undefined>
  /** Txids of transactions of this node's users that no peer has fetched. */
  readonly unbroadcast: Effect.Effect<ReadonlyArray<Uint8Array>>
  /** A peer has fetched it. */
  readonly fetched: (txid: Uint8Array) => Effect.Effect<void>
  /**
   * Satoshis for 1,000 virtual bytes that a transaction has to pay while the mempool is rather full; 0, or absent: it
   * is not.
   */
  readonly poolRate?: () => number
  /** Asks the engine for that rate, which falls as time goes by. */
  readonly refreshPoolRate?: Effect.Effect<void>
}
