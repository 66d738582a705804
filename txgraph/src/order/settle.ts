import { ACCEPTABLE_BUDGET } from "../contract.ts"
import { compareFeerates } from "../feerate/compare.ts"
import { highBit, lowBit, nextMember, WIDTH } from "../linearize/bits.ts"
import { chunkOrder, linearize } from "../linearize/linearize.ts"
import { allotChunk, freeChunk } from "../store/chunks.ts"
import { Quality, setQuality } from "../store/clusters.ts"
import { NONE } from "../store/columns.ts"
import { loadMembers, type Store } from "../store/store.ts"
import { insertChunk, removeChunk } from "./mining-order.ts"

/** Removes the chunks of a cluster from the mining order; the cluster must be ordered again. */
export const unsettle = (store: Store, cluster: number): void => {
  const { chunks, clusters, transactions } = store
  const { first, isFinal, quality } = clusters.columns
  isFinal[cluster] = 0
  if (quality[cluster] === Quality.unordered) return
  const { chunk: chunkOf, next } = transactions.columns
  let left = clusters.columns.count[cluster]!
  for (let tx = first[cluster]!; left > 0;) {
    const chunk = chunkOf[tx]!
    const count = chunks.columns.transactions[chunk]!
    removeChunk(store, chunk)
    freeChunk(chunks, chunk)
    for (let i = 0; i < count; i++) tx = next[tx]!
    left -= count
  }
  setQuality(clusters, cluster, Quality.unordered)
}

/** Loads a cluster into the linearizer, numbered by position. */
const load = (store: Store, cluster: number): number => {
  const { linearizer: { problem }, members, transactions } = store
  const { ancestorsHigh, ancestorsLow, fee, size } = transactions.columns
  const count = loadMembers(store, cluster)
  problem.count = count
  for (let place = 0; place < count; place++) {
    const tx = members[place]!
    problem.fee[place] = fee[tx]!
    problem.size[place] = size[tx]!
    problem.ancestorsLow[place] = ancestorsLow[tx]!
    problem.ancestorsHigh[place] = ancestorsHigh[tx]!
  }
  problem.compareIds = (a, b) => store.compareIds(members[a]!, members[b]!)
  return count
}

/** Moves the transactions of a cluster to the positions that the linearizer has found. */
const reorder = (store: Store, cluster: number): void => {
  const { clusters, linearizer: { order, problem }, members, transactions } = store
  const { ancestorsHigh, ancestorsLow, next, place: placeOf } = transactions.columns
  const { count } = problem
  for (let place = 0; place < count; place++) placeOf[members[order[place]!]!] = place
  for (let place = 0; place < count; place++) {
    const number = order[place]!
    const tx = members[number]!
    const oldLow = problem.ancestorsLow[number]!
    const oldHigh = problem.ancestorsHigh[number]!
    let low = 0
    let high = 0
    for (let at = nextMember(oldLow, oldHigh, 0); at < WIDTH; at = nextMember(oldLow, oldHigh, at + 1)) {
      const moved = placeOf[members[at]!]!
      low |= lowBit(moved)
      high |= highBit(moved)
    }
    ancestorsLow[tx] = low
    ancestorsHigh[tx] = high
    next[tx] = place + 1 < count ? members[order[place + 1]!]! : NONE
  }
  clusters.columns.first[cluster] = members[order[0]!]!
  clusters.columns.last[cluster] = members[order[count - 1]!]!
}

/** Creates the chunks that the linearizer has found, and inserts them into the mining order. */
const makeChunks = (store: Store, cluster: number): void => {
  const { chunks, linearizer: { chunkCount, chunkEnd, chunkFee, chunkSize, order }, members, transactions } = store
  const { chunk: chunkOf } = transactions.columns
  let from = 0
  let prefix = 0
  for (let number = 0; number < chunkCount; number++) {
    const chunk = allotChunk(chunks)
    const { columns } = chunks
    const fee = chunkFee[number]!
    const size = chunkSize[number]!
    const isLikeLast = number > 0 &&
      compareFeerates(fee, size, chunkFee[number - 1]!, chunkSize[number - 1]!) === 0
    prefix = isLikeLast ? prefix + size : size
    columns.fee[chunk] = fee
    columns.size[chunk] = size
    columns.rate[chunk] = fee / size
    columns.cluster[chunk] = cluster
    columns.start[chunk] = members[order[from]!]!
    columns.transactions[chunk] = chunkEnd[number]! - from
    columns.prefix[chunk] = prefix
    columns.greatest[chunk] = NONE
    for (; from < chunkEnd[number]!; from++) chunkOf[members[order[from]!]!] = chunk
    insertChunk(store, chunk)
  }
}

/** Creates the chunks of a cluster whose order is known to be optimal. Returns the cost. */
const settleFinal = (store: Store, cluster: number): number => {
  const count = load(store, cluster)
  for (let place = 0; place < count; place++) store.linearizer.order[place] = place
  chunkOrder(store.linearizer)
  makeChunks(store, cluster)
  store.clusters.columns.isFinal[cluster] = 0
  setQuality(store.clusters, cluster, Quality.optimal)
  return count
}

/** Orders a cluster within a budget, whatever its present order. Returns the cost. */
const settleWithin = (store: Store, cluster: number, budget: number): number => {
  if (store.clusters.columns.isFinal[cluster] !== 0) return settleFinal(store, cluster)
  load(store, cluster)
  const isOptimal = linearize(store.linearizer, budget)
  unsettle(store, cluster)
  reorder(store, cluster)
  makeChunks(store, cluster)
  setQuality(store.clusters, cluster, isOptimal ? Quality.optimal : Quality.acceptable)
  return store.linearizer.forest.cost
}

/** Orders a cluster if it is unordered. */
export const settle = (store: Store, cluster: number): void => {
  if (store.clusters.columns.quality[cluster] === Quality.unordered) settleWithin(store, cluster, ACCEPTABLE_BUDGET)
}

/** Orders every cluster. */
export const settleAll = (store: Store): void => {
  const { unordered } = store.clusters
  while (unordered.length > 0) settle(store, unordered.at(-1)!)
}

/** Orders clusters, then improves those that may not be optimal, until the budget is spent. */
export const work = (store: Store, budget: number): void => {
  const { acceptable, unordered } = store.clusters
  let left = budget
  while (unordered.length > 0 && left > 0) {
    left -= settleWithin(store, unordered.at(-1)!, Math.min(left, ACCEPTABLE_BUDGET))
  }
  for (let tries = acceptable.length; tries > 0 && left > 0; tries--) {
    left -= settleWithin(store, acceptable[tries - 1]!, left)
  }
}
