import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type * as Effect from "effect/Effect"
import type { ChainState } from "../../engine/calls/chain-state.ts"
import type {
  AcceptedBlock,
  AcceptedHeaders,
  AcceptedTransaction,
  ConfirmedTransactions,
  PoolTransaction
} from "../../engine/calls/network-calls.ts"
import type { HeaderTree } from "../../engine/header-tree/header-tree.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"

/** What became of a block; `isRefused`: nothing, the engine takes none in for the time being. It has to come again. */
export interface TakenBlock extends AcceptedBlock {
  readonly isRefused?: boolean
}

export type { AcceptedBlock, AcceptedHeaders, AcceptedTransaction, ConfirmedTransactions, PoolTransaction }

/** What the engine tells, after the mirror and the state show it. */
export interface ChainNews {
  /** A block was connected, or its connection was tried and failed. */
  readonly judged: (node: TreeNode, rejection: Rejection | undefined) => void
  /** The tip is another one. `fork`: the newest block of both chains. */
  readonly tip: (tip: TreeNode, fork: TreeNode, initialBlockDownload: boolean) => void
  readonly transactionAdded: (transaction: PoolTransaction) => void
  /** What a block holds that is about to be told of as the tip; not in the initial download, nor while the pool is empty. */
  readonly confirmed: (transactions: ConfirmedTransactions) => void
  /** `block`: one that is the tip, or about to be told of as such, holds it. */
  readonly transactionRemoved: (transaction: PoolTransaction, reason: string) => void
}

/**
 * The chain as the network layer needs it: an own copy of the header tree, with the same indexes, that is never older than any
 * answer; and the ways in. Calls that fail because the engine is gone never come back: the node is stopping then.
 */
export interface P2pChain {
  /** Only to be read. `columns.status` and `active` are kept up to date. */
  readonly tree: HeaderTree
  /** `halted` also says why when the engine is about to end for good. */
  readonly state: () => ChainState
  /** Headers of 80 bytes one after another, each on top of the one before. That they have enough work is the caller's care. */
  readonly acceptHeaders: (headers: Uint8Array) => Effect.Effect<AcceptedHeaders>
  /** `requested`: we asked for it. One that nobody asked for is only stored where the reference implementation would. Takes the bytes over. */
  readonly acceptBlock: (bytes: Uint8Array, requested: boolean) => Effect.Effect<TakenBlock>
  readonly acceptTransaction: (bytes: Uint8Array) => Effect.Effect<AcceptedTransaction>
  /** Bytes of a stored block, which are the caller's; none: pruned, damaged or not here. */
  readonly blockBytes: (node: TreeNode) => Effect.Effect<Uint8Array | undefined>
  /** Adds a listener; the answer takes it away again. */
  readonly listen: (news: Partial<ChainNews>) => () => void
  /** Transactions of the pool, by txid and by wtxid in hex of the wire order. */
  readonly poolByTxid: ReadonlyMap<string, PoolTransaction>
  readonly poolByWtxid: ReadonlyMap<string, PoolTransaction>
  /** Satoshis for 1,000 virtual bytes that a transaction has to pay while the pool is rather full; 0, or absent: it is not. */
  readonly poolRate?: () => number
}
