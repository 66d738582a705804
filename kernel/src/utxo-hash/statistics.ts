import { bytesEqual } from "../bytes/equal.ts"
import type { Coin, PlacedCoin } from "../utxo/coin.ts"

/** Sums over a UTXO set. `bogoSize` is a size that does not depend on how it is stored; `total` is in satoshis. */
export interface SetStatistics {
  readonly coins: number
  readonly transactions: number
  readonly bogoSize: number
  readonly total: bigint
}

/** Bytes besides the script that a coin counts: id, number, height and coinbase mark, value, length of the script. */
const BOGO_OVERHEAD = 32 + 4 + 4 + 8 + 2

/** Returns the contribution of one coin to the size statistic. */
export const bogoSize = (coin: Coin): number => BOGO_OVERHEAD + coin.script.length

/**
 * The statistics of a UTXO set: its coins, the transactions that made them, their size and their value.
 *
 * Precondition: coins of one transaction come one after another.
 *
 * @spec UTX-015 #4eb80d3a
 */
export const setStatistics = (coins: Iterable<PlacedCoin>): SetStatistics => {
  let [count, transactions, size, total] = [0, 0, 0, 0n]
  let last: Uint8Array | undefined
  for (const { coin, outpoint } of coins) {
    count++
    if (last === undefined || !bytesEqual(last, outpoint.txid)) transactions++
    last = outpoint.txid
    size += bogoSize(coin)
    total += coin.value
  }
  return { coins: count, transactions, bogoSize: size, total }
}
