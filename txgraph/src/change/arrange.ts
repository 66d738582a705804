import { highBit, lowBit, nextMember, WIDTH } from "../linearize/bits.ts"
import { setExtent } from "../store/clusters.ts"
import { NONE } from "../store/columns.ts"
import type { Store } from "../store/store.ts"

/** The ancestors of transactions, by numbers that are not positions yet. */
export interface Ancestry {
  readonly low: Int32Array
  readonly high: Int32Array
}

/**
 * Replaces the contents of an unordered cluster by `txs`, in this topological order. `numbers` has the number of each
 * in `ancestry`. Ancestors that are not in `txs` are ignored.
 */
export const arrange = (
  { clusters, transactions }: Store,
  cluster: number,
  txs: ReadonlyArray<number>,
  numbers: ReadonlyArray<number>,
  ancestry: Ancestry
): void => {
  const { columns } = transactions
  const placeOf = new Uint8Array(WIDTH)
  let ownLow = 0
  let ownHigh = 0
  numbers.forEach((number, place) => {
    placeOf[number] = place
    ownLow |= lowBit(number)
    ownHigh |= highBit(number)
  })
  let total = 0
  txs.forEach((tx, place) => {
    const number = numbers[place]!
    const oldLow = ancestry.low[number]! & ownLow
    const oldHigh = ancestry.high[number]! & ownHigh
    let low = 0
    let high = 0
    for (let at = nextMember(oldLow, oldHigh, 0); at < WIDTH; at = nextMember(oldLow, oldHigh, at + 1)) {
      low |= lowBit(placeOf[at]!)
      high |= highBit(placeOf[at]!)
    }
    columns.ancestorsLow[tx] = low
    columns.ancestorsHigh[tx] = high
    columns.cluster[tx] = cluster
    columns.place[tx] = place
    columns.next[tx] = txs[place + 1] ?? NONE
    total += columns.size[tx]!
  })
  clusters.columns.first[cluster] = txs[0]!
  clusters.columns.last[cluster] = txs.at(-1)!
  setExtent(clusters, cluster, txs.length, total)
}
