/**
 * The contract of the mempool's graph: which transaction spends which, clusters, chunks, mining order. Fees are modified
 * fees in satoshi, sizes are adjusted weights.
 */

/** A transaction in a graph. A small integer; a later transaction may get the number of a removed one. */
export type TxHandle = number

/** A chunk in the mining order. It is valid until the graph changes. */
export type ChunkHandle = number

/**
 * A feerate, kept as a fraction. Size is positive and below 2^26. Fees and their sums within a cluster are exact
 * integers below 2^53 in magnitude; a transaction's own fee is clamped to ±2.1e15, all the money there is.
 */
export interface FeeFrac {
  readonly fee: number
  readonly size: number
}

/** What a cluster may have at most. `transactions` is from 1 to 64. */
export interface ClusterLimits {
  readonly transactions: number
  readonly size: number
}

/** How a graph is made. */
export interface TxGraphOptions {
  readonly limits: ClusterLimits
  /**
   * Raw order of the txids of two transactions, by which ties are broken. It is asked about a new transaction only after
   * the method that added it has answered, and never about one that is being removed.
   */
  readonly compareIds: (a: TxHandle, b: TxHandle) => number
}

/** A transaction that is about to enter a graph. */
export interface NewTransaction extends FeeFrac {
  /** Parents in the graph, each once. One that the same changes remove is no parent. */
  readonly parents: ReadonlyArray<TxHandle>
  /** Parents among the additions before it, by their position there. */
  readonly newParents?: ReadonlyArray<number>
}

/** Transactions that leave and transactions that come in their place, all at once. */
export interface Changes {
  readonly removals: ReadonlyArray<TxHandle>
  readonly additions: ReadonlyArray<NewTransaction>
}

/** Chunk feerates, best first, of the clusters that some changes touch: as they are, and as they would become. */
export interface Diagrams {
  readonly before: ReadonlyArray<FeeFrac>
  readonly after: ReadonlyArray<FeeFrac>
}

/** A chunk with its transactions, in the order in which they are mined. */
export interface Chunk extends FeeFrac {
  readonly transactions: ReadonlyArray<TxHandle>
}

/** One transaction spends an output of another; both are in the graph. */
export interface Dependency {
  readonly parent: TxHandle
  readonly child: TxHandle
}

/**
 * The graph. Every method is synchronous and none throws for handles that are in the graph. Changes leave clusters to be
 * linearized; a method that needs their order does it then, for the clusters it needs.
 */
export interface TxGraph {
  /** Number of transactions. */
  readonly count: () => number
  readonly fee: (tx: TxHandle) => number
  readonly size: (tx: TxHandle) => number

  /** Ancestors of these transactions and they themselves, each once; within a cluster parents come first. */
  readonly ancestors: (txs: ReadonlyArray<TxHandle>) => ReadonlyArray<TxHandle>
  /** Descendants of these transactions and they themselves, each once; within a cluster parents come first. */
  readonly descendants: (txs: ReadonlyArray<TxHandle>) => ReadonlyArray<TxHandle>
  /** Distinct clusters that these transactions are in. */
  readonly clusterCount: (txs: ReadonlyArray<TxHandle>) => number
  /** Chunks of the cluster of a transaction, in linearization order. */
  readonly cluster: (tx: TxHandle) => ReadonlyArray<Chunk>

  /** Whether all clusters are within the limits after these changes. Nothing is changed. */
  readonly fits: (changes: Changes) => boolean
  /** Both diagrams of these changes; undefined if a cluster would exceed the limits. Nothing is changed. */
  readonly diagrams: (changes: Changes) => Diagrams | undefined
  /** Makes these changes; answers the handles of the additions, or undefined (nothing done) if they do not fit. */
  readonly apply: (changes: Changes) => ReadonlyArray<TxHandle> | undefined
  /** Removes transactions. What they leave behind stays, descendants included: name these as well where they must go. */
  readonly remove: (txs: ReadonlyArray<TxHandle>) => void
  /** Gives a transaction another modified fee. */
  readonly setFee: (tx: TxHandle, fee: number) => void
  /**
   * Adds dependencies between transactions in the graph, which a reorganization needs (they make no cycle), and cuts clusters that exceed
   * the limits then. Answers the transactions that were removed by this; their descendants are among them.
   */
  readonly connect: (dependencies: ReadonlyArray<Dependency>) => ReadonlyArray<TxHandle>

  /**
   * Linearizes what has changed, then improves what is not known to be optimal, within a total budget. Bitcoin Core
   * spends {@link POST_CHANGE_BUDGET} after a commit, a block or a reorganization.
   */
  readonly work: (budget: number) => void
  /** Whether every cluster is known to be linearized optimally. */
  readonly isOptimal: () => boolean

  /** Feerate of the chunk that a transaction is in. */
  readonly chunkFeerate: (tx: TxHandle) => FeeFrac
  /** Below 0 if `a` comes before `b` in the mining order, above 0 if after, 0 if they are the same. */
  readonly compareMiningOrder: (a: TxHandle, b: TxHandle) => number
  /** All transactions in mining order. */
  readonly miningOrder: () => Uint32Array
  /** The chunk mined first; undefined in an empty graph. */
  readonly bestChunk: () => ChunkHandle | undefined
  /** The chunk mined last, which eviction removes; undefined in an empty graph. */
  readonly worstChunk: () => ChunkHandle | undefined
  /** The chunk mined after this one; undefined after the last. */
  readonly nextChunk: (chunk: ChunkHandle) => ChunkHandle | undefined
  /** Feerate and transactions of a chunk. */
  readonly chunk: (chunk: ChunkHandle) => Chunk
  /** A number that the chunks of one cluster share, until the graph changes. */
  readonly chunkCluster: (chunk: ChunkHandle) => number

  /** Bytes that Bitcoin Core counts for such a graph, kept up to date: transactions, clusters, ordered chunks. */
  readonly memoryUsage: () => number
}

/** Cost within which one cluster gets an acceptable order. */
export const ACCEPTABLE_BUDGET = 75_000

/** Cost spent on all clusters after a change. */
export const POST_CHANGE_BUDGET = 375_000
