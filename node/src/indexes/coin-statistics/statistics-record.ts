import type { IndexedStatistics } from "../../engine/api/coin-calls.ts"
import { type BlockAmounts, unspendableOf } from "./block-amounts.ts"

/** Statistics of the coins after one block, as stored. */
export interface StatisticsRecord {
  readonly txouts: number
  readonly bogoSize: bigint
  readonly total: bigint
  /** Total that became unspendable up to this block, in satoshis. */
  readonly unspendable: bigint
  readonly amounts: BlockAmounts
  /** Hash in wire order. */
  readonly muHash: Uint8Array
}

const NUMBERS = 11
const HASH_SIZE = 32
export const STATISTICS_SIZE = 8 * NUMBERS + HASH_SIZE

/** Encodes numbers of eight bytes, big-endian, in the order of {@link NUMBERS}, then the hash. */
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

/** Returns `undefined` for invalid bytes. */
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

/** Converts a record into the result of calls. */
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
