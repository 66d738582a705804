import type { IndexedStatistics } from "../../engine/api/coin-calls.ts"
import { type BlockAmounts, unspendableOf } from "./block-amounts.ts"

/** What the index keeps of the coins after one block. */
export interface StatisticsRecord {
  readonly txouts: number
  readonly bogoSize: bigint
  readonly total: bigint
  /** All that became unspendable up to here. */
  readonly unspendable: bigint
  readonly amounts: BlockAmounts
  /** Wire order. */
  readonly muHash: Uint8Array
}

const NUMBERS = 11
const HASH_SIZE = 32
export const STATISTICS_SIZE = 8 * NUMBERS + HASH_SIZE

/** Numbers of eight bytes, highest first, in the order of {@link NUMBERS}, then the hash. */
export const encodeStatistics = (
  { amounts, bogoSize, muHash, total, txouts, unspendable }: StatisticsRecord
): Uint8Array => {
  const { bip30, coinbase, genesisBlock, newOutputsExceptCoinbase, prevoutSpent, scripts, unclaimedRewards } = amounts
  const numbers = [
    BigInt(txouts),
    bogoSize,
    total,
    unspendable,
    prevoutSpent,
    coinbase,
    newOutputsExceptCoinbase,
    genesisBlock,
    bip30,
    scripts,
    unclaimedRewards
  ]
  const bytes = new Uint8Array(STATISTICS_SIZE)
  const view = new DataView(bytes.buffer)
  for (const [i, number] of numbers.entries()) view.setBigInt64(8 * i, number)
  bytes.set(muHash, 8 * NUMBERS)
  return bytes
}

/** None: these bytes are no record. */
export const decodeStatistics = (bytes: Uint8Array): StatisticsRecord | undefined => {
  if (bytes.length !== STATISTICS_SIZE) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const number = (i: number): bigint => view.getBigInt64(8 * i)
  return {
    txouts: Number(number(0)),
    bogoSize: number(1),
    total: number(2),
    unspendable: number(3),
    amounts: {
      prevoutSpent: number(4),
      coinbase: number(5),
      newOutputsExceptCoinbase: number(6),
      genesisBlock: number(7),
      bip30: number(8),
      scripts: number(9),
      unclaimedRewards: number(10)
    },
    muHash: bytes.slice(8 * NUMBERS)
  }
}

/** As calls are answered. */
export const indexedStatistics = ({ amounts, unspendable }: StatisticsRecord): IndexedStatistics => {
  const { bip30, coinbase, genesisBlock, newOutputsExceptCoinbase, prevoutSpent, scripts, unclaimedRewards } = amounts
  return {
    unspendable,
    blockInfo: {
      prevoutSpent,
      coinbase,
      newOutputsExceptCoinbase,
      unspendable: unspendableOf(amounts),
      unspendables: { genesisBlock, bip30, scripts, unclaimedRewards }
    }
  }
}
