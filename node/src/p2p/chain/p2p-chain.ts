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

/**
 * The result for a block. `isRefused` means that the engine accepts no block at present, and the block has to be sent
 * again.
 */
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

/** The engine's notifications. The header index replica and the state already include the change. */
export interface ChainNotification {
  /** A block was connected, or connecting it failed. */
  readonly judged: (node: HeaderIndexNode, rejection: Rejection | undefined) => void
  /**
   * A block is on disk and about to become the tip: its form is valid, its scripts are not verified yet. `contents` is
   * `undefined` if they were not computed.
   */
  readonly newBlock: (node: HeaderIndexNode, contents: NewBlockContents | undefined) => void
  /** The tip changed. `fork` is the last common block of both chains. */
  readonly tip: (tip: HeaderIndexNode, fork: HeaderIndexNode, initialBlockDownload: boolean) => void
  /** `isNew` is false for transactions of a disconnected block or of the mempool file. */
  readonly transactionAdded: (transaction: ReplicatedTransaction, isNew: boolean) => void
  /**
   * The transactions of a block that is about to become the tip. Not sent in the initial download, nor while the
   * mempool is empty.
   */
  readonly confirmed: (transactions: ConfirmedTransactions) => void
  /** The reason `block` means that the tip, or a block about to be reported as the tip, contains it. */
  readonly transactionRemoved: (transaction: ReplicatedTransaction, reason: string) => void
}

/**
 * The chain as the network layer sees it: a replica of the header index and the calls to the engine. The replica has
 * the same indexes and is never older than any answer. Calls that fail because the engine is gone never return, as the
 * node is stopping.
 */
export interface P2pChain {
  /** Read-only. `columns.status` and `active` are kept up to date. */
  readonly tree: HeaderIndex
  /** `halted` also gives the reason when the engine is about to end for good. */
  readonly state: () => ChainState
  /**
   * Accepts headers of 80 bytes each, one after another, each on top of the previous one. The caller checks that they
   * have enough work.
   */
  readonly acceptHeaders: (headers: Uint8Array) => Effect.Effect<AcceptedHeaders>
  /**
   * Accepts a block and transfers its bytes. `requested` is true if this node requested it; an unrequested block is
   * stored only where Bitcoin Core would store it.
   */
  readonly acceptBlock: (bytes: Uint8Array, requested: boolean) => Effect.Effect<IntakeResult>
  /**
   * Waits until the received blocks that are next in the chain are connected; absent if they are connected on
   * acceptance.
   */
  readonly blocksConnected?: Effect.Effect<void>
  /**
   * Accepts a transaction; one without an origin comes from no peer. `undefined` if it cannot be decoded, or if the
   * engine accepts none at present.
   */
  readonly acceptTransaction: (
    bytes: Uint8Array,
    origin?: TransactionOrigin
  ) => Effect.Effect<TransactionOutcome | undefined>
  /** Tests a transaction without accepting it. `undefined` as for `acceptTransaction`. */
  readonly testTransaction: (bytes: Uint8Array) => Effect.Effect<TransactionOutcome | undefined>
  /** Accepts a child, last, with its parents or ancestors. `undefined` as for `acceptTransaction`. */
  readonly acceptPackage: (
    transactions: ReadonlyArray<Uint8Array>,
    shape?: PackageShape
  ) => Effect.Effect<PackageOutcome | undefined>
  /**
   * Begins to reconstruct a compact block under an id that the caller chooses, and transfers the payload of
   * `cmpctblock`. `undefined` if the engine is too busy with its disk.
   */
  readonly beginCompactBlock: (id: number, payload: Uint8Array) => Effect.Effect<BegunBlock | undefined>
  /**
   * Fills in missing transactions from the payload of `blocktxn`, if given, and accepts the block. `undefined` if it is
   * refused and has to be sent again.
   */
  readonly fillCompactBlock: (id: number, payload: Uint8Array | undefined) => Effect.Effect<FilledBlock | undefined>
  /** Discards a compact block that is no longer wanted. */
  readonly dropCompactBlock: (id: number) => Effect.Effect<void>
  /** Bytes of a stored block, owned by the caller; `undefined` if it is pruned, damaged or was never stored. */
  readonly blockBytes: (node: HeaderIndexNode) => Effect.Effect<Uint8Array | undefined>
  /**
   * Some of the filters of a branch's blocks, from a height on. `undefined` if the index is missing or has not reached
   * these blocks. Absent without an index.
   */
  readonly blockFilters?: (
    range: EngineCalls["blockFilters"]["in"]
  ) => Effect.Effect<ReadonlyArray<BlockFilter> | undefined>
  /** Filter headers of a branch's blocks at these heights. `undefined` or absent as for the filters. */
  readonly filterHeaders?: (
    blocks: EngineCalls["filterHeaders"]["in"]
  ) => Effect.Effect<ReadonlyArray<FilterHeader> | undefined>
  /** Adds a listener. Returns the function that removes it. */
  readonly listen: (listener: Partial<ChainNotification>) => () => void
  readonly mempool: MempoolView
  readonly mempoolTransaction: (kind: IdKind, id: Uint8Array) => Effect.Effect<MempoolTransaction | undefined>
  /**
   * Returns several transactions in the order of the ids, `undefined` for missing ones. Empty if the engine refuses.
   */
  readonly mempoolTransactions: (
    kind: IdKind,
    ids: ReadonlyArray<Uint8Array>
  ) => Effect.Effect<ReadonlyArray<MempoolTransaction | undefined>>
  /**
   * Wtxids of the unconfirmed ancestors of a mempool transaction, parents before children. `undefined` if it is missing
   * or the engine refuses.
   */
  readonly mempoolAncestors: (txid: Uint8Array) => Effect.Effect<ReadonlyArray<Uint8Array> | undefined>
  /** Those of the wtxids that are in the mempool, in mining order. `undefined` if the engine refuses for now. */
  readonly inMiningOrder: (wtxids: ReadonlyArray<Uint8Array>) => Effect.Effect<ReadonlyArray<Uint8Array> | undefined>
  /** Concatenated txids of the whole mempool in mining order. `undefined` as for `inMiningOrder`. */
  readonly mempoolIds: Effect.Effect<Uint8Array | undefined>
  /** Txids of transactions of this node's users that no peer has fetched. */
  readonly unbroadcast: Effect.Effect<ReadonlyArray<Uint8Array>>
  /** Records that a peer has fetched a transaction. */
  readonly fetched: (txid: Uint8Array) => Effect.Effect<void>
  /** Minimum feerate of the mempool in satoshis per 1,000 virtual bytes. 0 or absent if the mempool is not full. */
  readonly poolRate?: () => number
  /** Requests that rate from the engine; it falls with time. */
  readonly refreshPoolRate?: Effect.Effect<void>
}
