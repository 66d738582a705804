import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type * as Effect from "effect/Effect"
import type { ChainState } from "../../engine/api/chain-state.ts"
import type { BegunBlock, FilledBlock } from "../../engine/api/compact-block-calls.ts"
import type { BlockFilter, FilterHeader } from "../../engine/api/index-calls.ts"
import type { EngineCalls } from "../../engine/api/engine-calls.ts"
import type { NewBlockContents } from "../../engine/api/engine-notification.ts"
import type {
  MempoolTransaction,
  PackageOutcome,
  PackageShape,
  TransactionOrigin,
  TransactionOutcome
} from "../../engine/api/mempool-calls.ts"
import type { AcceptedBlock, AcceptedHeaders, ConfirmedTransactions } from "../../engine/api/network-calls.ts"
import type { HeaderIndex } from "../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import type { IdKind, MempoolView, ReplicatedTransaction } from "./mempool-replica.ts"

/** The result for a block; `isRefused`: none, the engine accepts no block for the time being. It has to come again. */
export interface IntakeResult extends AcceptedBlock {
  readonly isRefused?: boolean
}

export type { AcceptedBlock, AcceptedHeaders, BegunBlock, ConfirmedTransactions, FilledBlock }
export type {
  IdKind,
  MempoolTransaction,
  MempoolView,
  PackageOutcome,
  ReplicatedTransaction as PooledTransaction,
  TransactionOutcome
}

/** The engine's notifications, after the header index replica and the state show the change. */
export interface ChainNotification {
  /** A block was connected, or its connection was tried and failed. */
  readonly judged: (node: HeaderIndexNode, rejection: Rejection | undefined) => void
  /**
   * A block is on disk and about to become the tip: its form is valid, its scripts are not verified yet. `contents`: none
   * where they were not computed.
   */
  readonly newBlock: (node: HeaderIndexNode, contents: NewBlockContents | undefined) => void
  /** The tip is another one. `fork`: the newest block of both chains. */
  readonly tip: (tip: HeaderIndexNode, fork: HeaderIndexNode, initialBlockDownload: boolean) => void
  /** `isNew`: it was not there before, neither in a disconnected block nor in the file of a mempool. */
  readonly transactionAdded: (transaction: ReplicatedTransaction, isNew: boolean) => void
  /**
   * The transactions of a block that is about to become the tip; not in the initial download, nor while the mempool is
   * empty.
   */
  readonly confirmed: (transactions: ConfirmedTransactions) => void
  /** `block`: one that is the tip, or about to be notified as such, holds it. */
  readonly transactionRemoved: (transaction: ReplicatedTransaction, reason: string) => void
}

/**
 * The chain as the network layer needs it: a replica of the header index and the calls to the engine. The replica has
 * the same indexes and is never older than any answer. Calls that fail because the engine is gone never return: the
 * node is stopping then.
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
  readonly acceptBlock: (bytes: Uint8Array, requested: boolean) => Effect.Effect<IntakeResult>
  /** Waits until the blocks that came so far and are next are connected; absent: they are when they are accepted. */
  readonly blocksConnected?: Effect.Effect<void>
  /** Without an origin it is no peer's. None: it is no transaction, or the engine accepts none for the time being. */
  readonly acceptTransaction: (
    bytes: Uint8Array,
    origin?: TransactionOrigin
  ) => Effect.Effect<TransactionOutcome | undefined>
  /** What would become of a transaction. None: as with one that is accepted. */
  readonly testTransaction: (bytes: Uint8Array) => Effect.Effect<TransactionOutcome | undefined>
  /** A child at the end, and parents or ancestors of it. None: as with a transaction. */
  readonly acceptPackage: (
    transactions: ReadonlyArray<Uint8Array>,
    shape?: PackageShape
  ) => Effect.Effect<PackageOutcome | undefined>
  /**
   * Begins to put a compact block together, under a number of the caller's. None: the engine is too busy with its disk.
   * Transfers the payload of `cmpctblock`.
   */
  readonly beginCompactBlock: (id: number, payload: Uint8Array) => Effect.Effect<BegunBlock | undefined>
  /**
   * Fills its gaps with the payload of `blocktxn`, if it has any, and has the block accepted. None: it is refused, and has
   * to come again.
   */
  readonly fillCompactBlock: (id: number, payload: Uint8Array | undefined) => Effect.Effect<FilledBlock | undefined>
  /** It is not wanted any more. */
  readonly dropCompactBlock: (id: number) => Effect.Effect<void>
  /** Bytes of a stored block, which are the caller's; none: pruned, damaged or not here. */
  readonly blockBytes: (node: HeaderIndexNode) => Effect.Effect<Uint8Array | undefined>
  /**
   * Filters of the blocks of a branch, from a height on: not all of them at a time. None: the index is not there or has
   * not come to them. Absent: there is no index.
   */
  readonly blockFilters?: (
    range: EngineCalls["blockFilters"]["in"]
  ) => Effect.Effect<ReadonlyArray<BlockFilter> | undefined>
  /** Filter headers of the blocks of a branch at these heights. None, and absent: as with the filters. */
  readonly filterHeaders?: (
    blocks: EngineCalls["filterHeaders"]["in"]
  ) => Effect.Effect<ReadonlyArray<FilterHeader> | undefined>
  /** Adds a listener; the answer removes it again. */
  readonly listen: (listener: Partial<ChainNotification>) => () => void
  readonly mempool: MempoolView
  readonly mempoolTransaction: (kind: IdKind, id: Uint8Array) => Effect.Effect<MempoolTransaction | undefined>
  /** Several at once, in the order of the ids. None where one is not there; an empty answer: the engine refuses. */
  readonly mempoolTransactions: (
    kind: IdKind,
    ids: ReadonlyArray<Uint8Array>
  ) => Effect.Effect<ReadonlyArray<MempoolTransaction | undefined>>
  /**
   * Wtxids of the unconfirmed ancestors of a transaction of the mempool, parents before their children; none: it is not
   * there, or the engine refuses.
   */
  readonly mempoolAncestors: (txid: Uint8Array) => Effect.Effect<ReadonlyArray<Uint8Array> | undefined>
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
