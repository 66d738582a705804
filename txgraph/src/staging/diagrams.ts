import { clampedFee } from "../change/add.ts"
import { ACCEPTABLE_BUDGET, type Diagrams, type FeeFrac } from "../contract.ts"
import { byFeerate } from "../feerate/diagram.ts"
import { highBit, lowBit } from "../linearize/bits.ts"
import { linearize } from "../linearize/linearize.ts"
import { settle } from "../order/settle.ts"
import type { Store } from "../store/store.ts"
import type { Stage } from "./stage.ts"

/** Returns the chunks of clusters in the graph. */
const chunksNow = (store: Store, clusters: Iterable<number>): Array<FeeFrac> => {
  const { chunks, transactions } = store
  const found: Array<FeeFrac> = []
  for (const cluster of clusters) {
    settle(store, cluster)
    let left = store.clusters.columns.count[cluster]!
    for (let tx = store.clusters.columns.first[cluster]!; left > 0;) {
      const chunk = transactions.columns.chunk[tx]!
      const count = chunks.columns.transactions[chunk]!
      found.push({ fee: chunks.columns.fee[chunk]!, size: chunks.columns.size[chunk]! })
      for (let i = 0; i < count; i++) tx = transactions.columns.next[tx]!
      left -= count
    }
  }
  return found
}

/** Returns the chunks of a cluster that is only staged. Ties in its order do not affect them. */
const chunksOfStaged = (
  { linearizer }: Store,
  { transactions }: Stage,
  cluster: ReadonlyArray<number>
): Array<FeeFrac> => {
  const { problem } = linearizer
  const numberOf = new Map(cluster.map((staged, number) => [staged, number]))
  problem.count = cluster.length
  problem.compareIds = () => 0
  cluster.forEach((staged, number) => {
    const { fee, parents, size } = transactions[staged]!
    problem.fee[number] = clampedFee(fee)
    problem.size[number] = size
    let low = lowBit(number)
    let high = highBit(number)
    for (const parent of parents) {
      low |= problem.ancestorsLow[numberOf.get(parent)!]!
      high |= problem.ancestorsHigh[numberOf.get(parent)!]!
    }
    problem.ancestorsLow[number] = low
    problem.ancestorsHigh[number] = high
  })
  linearize(linearizer, ACCEPTABLE_BUDGET)
  return Array.from({ length: linearizer.chunkCount }, (_, chunk) => ({
    fee: linearizer.chunkFee[chunk]!,
    size: linearizer.chunkSize[chunk]!
  }))
}

/** Returns the diagrams of the touched clusters before and after. The stage must fit. */
export const diagramsOf = (store: Store, stage: Stage): Diagrams => ({
  before: chunksNow(store, stage.touched).sort(byFeerate),
  after: stage.clusters.flatMap((cluster) => chunksOfStaged(store, stage, cluster)).sort(byFeerate)
})
