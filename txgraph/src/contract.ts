/**
 * The contract of the mempool's graph: dependencies of transactions, clusters, chunks and the mining order. Fees are
 * modified fees in satoshi, sizes are adjusted weights.
 */

/** A transaction in a graph: a small integer, which is reused after its removal. */
export type TxHandle = number

/** A chunk in the mining order. It is valid until the graph changes. */
export type ChunkHandle = number

/**
 * A feerate, kept as a fraction. Size is positive and below 2^26. Fees and their sums within a cluster are exact
 * integers below 2^53 in magnitude. A transaction's own fee is clamped to ±2.1e15, all the money there can be.
 */
export interface FeeFrac {
  readonly fee: number
  readonly size: number
}

/** Limits of a cluster. `transactions` is from 1 to 64. */
export interface ClusterLimits {
  readonly transactions: number
  readonly size: number
}

/** Options for creating a graph. */
export interface TxGraphOptions {
  readonly limits: ClusterLimits
  /**
   * Compares the txids of two transactions in raw byte order, to break ties. A new transaction is compared only after
   * the method that added it has returned, and a transaction being removed never.
   */
  readonly compareIds: (a: TxHandle, b: TxHandle) => number
}

/** A transaction to be added to a graph. */
export interface NewTransaction extends FeeFrac {
  /** Parents in the graph, each once. A parent that the same changes remove does not count. */
  readonly parents: ReadonlyArray<TxHandle>
  /** Parents among the earlier additions, by their index. */
  readonly newParents?: ReadonlyArray<number>
}

/** Transactions to be removed and those that replace them, as one change. */
export interface Changes {
  readonly removals: ReadonlyArray<TxHandle>
  readonly additions: ReadonlyArray<NewTransaction>
}

/** Chunk feerates, best first, of the affected clusters, before and after some changes. */
export interface Diagrams {
  readonly before: ReadonlyArray<FeeFrac>
  readonly after: ReadonlyArray<FeeFrac>
}

/** A chunk with its transactions in mining order. */
export interface Chunk extends FeeFrac {
  readonly transactions: ReadonlyArray<TxHandle>
}

/** A dependency of two transactions in the graph: the child spends an output of the parent. */
export interface Dependency {
  readonly parent: TxHandle
  readonly child: TxHandle
}

/**
 * The graph. Every method is synchronous, and none throws for handles that are in the graph. Changes leave clusters to
 * be linearized. A method that needs their order linearizes the clusters it needs.
 */
export interface TxGraph {
  /** Number of transactions. */
  readonly count: () => number
  readonly fee: (tx: TxHandle) => number
  readonly size: (tx: TxHandle) => number

  /** Returns these transactions and their ancestors, each once. Within a cluster parents come first. */
  readonly ancestors: (txs: ReadonlyArray<TxHandle>) => ReadonlyArray<TxHandle>
  /** Returns these transactions and their descendants, each once. Within a cluster parents come first. */
  readonly descendants: (txs: ReadonlyArray<TxHandle>) => ReadonlyArray<TxHandle>
  /** Returns the number of distinct clusters of these transactions. */
  readonly clusterCount: (txs: ReadonlyArray<TxHandle>) => number
  /** Returns the chunks of a transaction's cluster, in linearization order. */
  readonly cluster: (tx: TxHandle) => ReadonlyArray<Chunk>

  /** Reports whether all clusters would be within the limits after these changes. Changes nothing. */
  readonly fits: (changes: Changes) => boolean
  /** Returns both diagrams of these changes, or `undefined` if a cluster would exceed the limits. Changes nothing. */
  readonly diagrams: (changes: Changes) => Diagrams | undefined
  /**
   * Applies these changes. Returns the handles of the additions, or `undefined` if they do not fit, in which case
   * nothing is changed.
   */
  readonly apply: (changes: Changes) => ReadonlyArray<TxHandle> | undefined
  /** Removes only these transactions. Descendants stay unless they are listed as well. */
  readonly remove: (txs: ReadonlyArray<TxHandle>) => void
  /** Changes the modified fee of a transaction. */
  readonly setFee: (tx: TxHandle, fee: number) => void
  /**
   * Adds dependencies between transactions in the graph, as a reorganization needs (they form no cycle), and trims
   * clusters that then exceed the limits. Returns the transactions removed by this, including descendants.
   */
  readonly connect: (dependencies: ReadonlyArray<Dependency>) => ReadonlyArray<TxHandle>

  /**
   * Linearizes changed clusters, then improves those that are not known to be optimal, within a total budget. Bitcoin
   * Core spends {@link POST_CHANGE_BUDGET} after a commit, a block or a reorganization.
   */
  readonly work: (budget: number) => void
  /** Reports whether every cluster is known to be linearized optimally. */
  readonly isOptimal: () => boolean

  /** Returns the feerate of a transaction's chunk. */
  readonly chunkFeerate: (tx: TxHandle) => FeeFrac
  /**
   * Returns a negative number if `a` is before `b` in the mining order, a positive one if it is after, and 0 for the
   * same one.
   */
  readonly compareMiningOrder: (a: TxHandle, b: TxHandle) => number
  /** Returns all transactions in mining order. */
  readonly miningOrder: () => Uint32Array
  /** Returns the chunk that is mined first; `undefined` in an empty graph. */
  readonly bestChunk: () => ChunkHandle | undefined
  /** Returns the chunk that is mined last, which eviction removes; `undefined` in an empty graph. */
  readonly worstChunk: () => ChunkHandle | undefined
  /** Returns the chunk that is mined after this one; `undefined` after the last one. */
  readonly nextChunk: (chunk: ChunkHandle) => ChunkHandle | undefined
  /** Returns the feerate and transactions of a chunk. */
  readonly chunk: (chunk: ChunkHandle) => Chunk
  /** Returns a number shared by the chunks of one cluster, until the graph changes. */
  readonly chunkCluster: (chunk: ChunkHandle) => number

  /**
   * Returns the bytes that Bitcoin Core counts for such a graph: transactions, clusters, ordered chunks. The value is
   * always current.
   */
  readonly memoryUsage: () => number
}

/** Cost within which one cluster reaches an acceptable order. */
export const ACCEPTABLE_BUDGET = 75_000

/** Cost spent on all clusters after a change. */
export const POST_CHANGE_BUDGET = 375_000
