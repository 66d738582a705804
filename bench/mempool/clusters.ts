import type { Crypto, Transaction } from "../../kernel/src/index.ts"
import type { Below } from "./sequence.ts"
import { type BenchCoin, type BenchKey, coinsOf, spendAnchors, spendSigned } from "./transactions.ts"

/** What each coin that begins a cluster is worth. */
export const CLUSTER_VALUE = 900_000n
const MOST_TRANSACTIONS = 64
/** Outputs of the first transaction of a cluster, along which the others follow. */
const LINES = 4
const SMALL = 1_000n
const NEAR = 16
/** Makes transactions of 110 to 340 virtual bytes, 230 on the average: 4,000 nearly fill a block. */
const MOST_DATA = 150

/** Transactions of one cluster, the signed one that begins it first. */
export type Cluster = ReadonlyArray<Transaction>

/** Numbers of transactions of clusters: 1 to 64, all together `transactions`. */
export const clusterSizes = (transactions: number, below: Below): ReadonlyArray<number> => {
  const sizes: Array<number> = []
  for (let left = transactions; left > 0;) {
    const size = Math.min(left, 1 + below(MOST_TRANSACTIONS))
    sizes.push(size)
    left -= size
  }
  return sizes
}

const feeOf = (below: Below): bigint => BigInt(200 + below(2_000))

/** A cluster of `size` transactions: the others spend one to three outputs of those before them. */
export const cluster = (
  size: number,
  coin: BenchCoin,
  key: BenchKey,
  below: Below,
  crypto: Crypto
): Cluster => {
  const share = (coin.value - feeOf(below)) / BigInt(LINES)
  const first = spendSigned(coin, key, Array.from({ length: LINES }, () => share), crypto)
  const lines = [...coinsOf(first, crypto)]
  let near: Array<BenchCoin> = []
  const transactions = [first]
  while (transactions.length < size) {
    const line = below(LINES)
    const others = Array.from({ length: Math.min(below(3), near.length) }, () => near.splice(below(near.length), 1)[0]!)
    const spent = [lines[line]!, ...others]
    const value = spent.reduce((sum, each) => sum + each.value, 0n) - feeOf(below) - 2n * SMALL
    const tx = spendAnchors(spent, [value, SMALL, SMALL], below(MOST_DATA))
    const [main, ...small] = coinsOf(tx, crypto).slice(0, 3)
    lines[line] = main!
    near = [...near, ...small].slice(-NEAR)
    transactions.push(tx)
  }
  return transactions
}
