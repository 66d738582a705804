import { addTransaction, clampedFee } from "./change/add.ts"
import { connectTransactions } from "./change/connect.ts"
import { removeTransactions } from "./change/remove.ts"
import type { Changes, Chunk, ChunkHandle, TxGraph, TxGraphOptions, TxHandle } from "./contract.ts"
import { compareChunks } from "./order/mining-order.ts"
import { settle, settleAll, unsettle, work } from "./order/settle.ts"
import { ancestorsOf, clusterChunks, descendantsOf, readChunk, transactionsInOrder } from "./query.ts"
import { NONE } from "./store/columns.ts"
import { emptyStore, type Store } from "./store/store.ts"
import { diagramsOf } from "./staging/diagrams.ts"
import { hasRoomFor, stage, stageFits } from "./staging/stage.ts"

const fits = (store: Store, changes: Changes): boolean => {
  const [addition, ...others] = changes.additions
  if (changes.removals.length > 0 || others.length > 0) return stageFits(store, stage(store, changes))
  return addition === undefined || hasRoomFor(store, addition.size, addition.parents)
}

const apply = (store: Store, changes: Changes): ReadonlyArray<TxHandle> | undefined => {
  if (!fits(store, changes)) return undefined
  removeTransactions(store, changes.removals)
  // An addition may reuse the number of a removed parent.
  const isRemoved = new Set(changes.removals)
  const added: Array<TxHandle> = []
  for (const { fee, newParents = [], parents, size } of changes.additions) {
    const all = parents.filter((parent) => !isRemoved.has(parent)).concat(newParents.map((number) => added[number]!))
    added.push(addTransaction(store, fee, size, all))
  }
  return added
}

const setFee = (store: Store, tx: TxHandle, fee: number): void => {
  const { cluster, fee: fees } = store.transactions.columns
  if (fees[tx] === clampedFee(fee)) return
  unsettle(store, cluster[tx]!)
  fees[tx] = clampedFee(fee)
}

/** Returns the chunk of a transaction, after ordering its cluster. */
const chunkOf = (store: Store, tx: TxHandle): ChunkHandle => {
  settle(store, store.transactions.columns.cluster[tx]!)
  return store.transactions.columns.chunk[tx]!
}

const compareMiningOrder = (store: Store, a: TxHandle, b: TxHandle): number => {
  const first = chunkOf(store, a)
  const second = chunkOf(store, b)
  const { cluster, place } = store.transactions.columns
  return cluster[a] === cluster[b] ? place[a]! - place[b]! : compareChunks(store, first, second)
}

const known = (chunk: ChunkHandle): ChunkHandle | undefined => (chunk === NONE ? undefined : chunk)

/**
 * Reports whether every cluster is optimal. A cluster of one transaction has only one order, even before it has chunks.
 */
const isOptimal = ({ clusters: { acceptable, columns, unordered } }: Store): boolean =>
  acceptable.length === 0 && unordered.every((cluster) => columns.count[cluster] === 1)

/** An empty graph. */
export const txGraph = ({ compareIds, limits }: TxGraphOptions): TxGraph => {
  const store = emptyStore(limits, compareIds)
  const { chunks, clusters, transactions } = store
  return {
    count: () => transactions.count,
    fee: (tx) => transactions.columns.fee[tx]!,
    size: (tx) => transactions.columns.size[tx]!,
    ancestors: (txs) => ancestorsOf(store, txs),
    descendants: (txs) => descendantsOf(store, txs),
    clusterCount: (txs) => new Set(txs.map((tx) => transactions.columns.cluster[tx]!)).size,
    cluster: (tx) => clusterChunks(store, transactions.columns.cluster[tx]!),
    fits: (changes) => fits(store, changes),
    diagrams: (changes) => {
      const staged = stage(store, changes)
      return stageFits(store, staged) ? diagramsOf(store, staged) : undefined
    },
    apply: (changes) => apply(store, changes),
    remove: (txs) => removeTransactions(store, txs),
    setFee: (tx, fee) => setFee(store, tx, fee),
    connect: (dependencies) => connectTransactions(store, dependencies),
    work: (budget) => work(store, budget),
    isOptimal: () => isOptimal(store),
    chunkFeerate: (tx) => {
      const chunk = chunkOf(store, tx)
      return { fee: chunks.columns.fee[chunk]!, size: chunks.columns.size[chunk]! }
    },
    compareMiningOrder: (a, b) => compareMiningOrder(store, a, b),
    miningOrder: () => transactionsInOrder(store),
    bestChunk: () => {
      settleAll(store)
      return known(chunks.first)
    },
    worstChunk: () => {
      settleAll(store)
      return known(chunks.last)
    },
    nextChunk: (chunk) => known(chunks.columns.next[chunk]!),
    chunk: (chunk): Chunk => readChunk(store, chunk),
    chunkCluster: (chunk) => chunks.columns.cluster[chunk]!,
    memoryUsage: () => 80 * transactions.count + 64 * chunks.count + clusters.bytes
  }
}
