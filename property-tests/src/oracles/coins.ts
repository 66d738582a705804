import { sameBytes, toHex } from "./byte-string.ts"
import { medianTimePast, type NaiveChain } from "./header.ts"
import type { NaiveInput, NaiveOutput, NaiveTransaction } from "./transaction.ts"

const MAX_MONEY = 2_100_000_000_000_000n

export interface NaiveCoin extends NaiveOutput {
  readonly height: number
  readonly isCoinbase: boolean
}

/** Coins by outpoint as text. */
export type NaiveCoins = ReadonlyMap<string, NaiveCoin>

/** An outpoint as text: id as it is stored, then number. */
export const outPointKey = (txid: Uint8Array, vout: number): string => `${toHex(txid)}:${vout}`

export const prevoutKey = ({ txid, vout }: NaiveInput): string => outPointKey(txid, vout)

/** Starts with OP_RETURN (0x6a) or has more than 10,000 bytes. */
export const isUnspendable = (script: Uint8Array): boolean => script[0] === 0x6a || script.length > 10_000

export const sameCoin = (a: NaiveCoin | undefined, b: NaiveCoin | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.value === b.value && a.height === b.height && a.isCoinbase === b.isCoinbase && sameBytes(a.script, b.script)

/** The coins that `tx` makes in a block of `height`, by outpoint. */
export const createdCoins = (
  tx: NaiveTransaction,
  txid: Uint8Array,
  height: number,
  isCoinbase: boolean
): ReadonlyArray<readonly [key: string, coin: NaiveCoin]> =>
  tx.outputs.flatMap(({ value, script }, vout) =>
    isUnspendable(script) ? [] : [[outPointKey(txid, vout), { value, script, height, isCoinbase }] as const]
  )

const removed = (coins: NaiveCoins, keys: ReadonlyArray<string>): NaiveCoins =>
  new Map([...coins].filter(([key]) => !keys.includes(key)))

/** The coins after a transaction, and those that its outputs replaced. */
export const applyTransaction = (
  coins: NaiveCoins,
  tx: NaiveTransaction,
  txid: Uint8Array,
  height: number,
  isCoinbase: boolean
): { readonly coins: NaiveCoins; readonly replaced: ReadonlyArray<readonly [string, NaiveCoin]> } => {
  const left = isCoinbase ? coins : removed(coins, tx.inputs.map(prevoutKey))
  const created = createdCoins(tx, txid, height, isCoinbase)
  return {
    coins: new Map([...left, ...created]),
    replaced: created.flatMap(([key]) => (left.has(key) ? [[key, left.get(key)!] as const] : []))
  }
}

const sum = (outputs: ReadonlyArray<NaiveOutput>): bigint => outputs.reduce((total, { value }) => total + value, 0n)

export const valueOut = (tx: NaiveTransaction): bigint => sum(tx.outputs)

const isMoney = (value: bigint): boolean => value >= 0n && value <= MAX_MONEY

/** What is wrong with one coin that is spent, after those before it. */
const coinFault = (coins: ReadonlyArray<NaiveCoin>, i: number, height: number): string | undefined => {
  const coin = coins[i]!
  if (coin.isCoinbase && height - coin.height < 100) return "TXI-002"
  return isMoney(coin.value) && sum(coins.slice(0, i + 1)) <= MAX_MONEY ? undefined : "TXI-003"
}

/** The first rule that a transaction breaks with its coins, or its fee. */
export const checkInputs = (tx: NaiveTransaction, coins: ReadonlyArray<NaiveCoin>, height: number): string | bigint => {
  const fault = coins.map((_, i) => coinFault(coins, i, height)).find((each) => each !== undefined)
  if (fault !== undefined) return fault
  const fee = sum(coins) - valueOut(tx)
  if (fee < 0n) return "TXI-004"
  return isMoney(fee) ? fee : "TXI-005"
}

/** Whether a block of `height` at `cutoff` may hold the transaction. */
export const isFinal = ({ inputs, lockTime }: NaiveTransaction, height: number, cutoff: number): boolean =>
  lockTime === 0 ||
  (lockTime < 500_000_000 && lockTime < height) ||
  (lockTime >= 500_000_000 && lockTime < cutoff) ||
  inputs.every(({ sequence }) => sequence === 0xffffffff)

/** One relative lock: of blocks or of units of 512 seconds, from a height or a median time on. */
interface Lock {
  readonly byTime: boolean
  /** The first height or median time at which it does not hold back any more. */
  readonly free: number
}

const bit = (value: number, index: number): boolean => Math.floor(value / 2 ** index) % 2 === 1

/** The relative locks of a transaction on top of `chain`, input by input. */
const locksOf = (tx: NaiveTransaction, coins: ReadonlyArray<NaiveCoin>, chain: NaiveChain): ReadonlyArray<Lock> =>
  tx.inputs.flatMap(({ sequence }, i): ReadonlyArray<Lock> => {
    if (tx.version < 2 || bit(sequence, 31)) return []
    const amount = sequence % 65_536
    const { height } = coins[i]!
    if (!bit(sequence, 22)) return [{ byTime: false, free: height + amount }]
    // The coin's block was itself judged with the median of the chain below it.
    return [{ byTime: true, free: medianTimePast(chain.slice(0, Math.max(height, 1))) + amount * 512 }]
  })

/** The last height and the last median time that still hold the transaction back, −1 where none does. */
export const sequenceLocks = (
  tx: NaiveTransaction,
  coins: ReadonlyArray<NaiveCoin>,
  chain: NaiveChain
): { readonly height: number; readonly time: number } => {
  const locks = locksOf(tx, coins, chain)
  const last = (byTime: boolean): number =>
    Math.max(-1, ...locks.filter((lock) => lock.byTime === byTime).map(({ free }) => free - 1))
  return { height: last(false), time: last(true) }
}

/** Every relative lock has run out for the block on top of `chain`. */
export const locksHaveRunOut = (tx: NaiveTransaction, coins: ReadonlyArray<NaiveCoin>, chain: NaiveChain): boolean =>
  locksOf(tx, coins, chain).every(({ byTime, free }) => (byTime ? medianTimePast(chain) : chain.length) >= free)

/** 50 coins, halved with every interval that is over. */
export const blockSubsidy = (height: number, halvingInterval: number): bigint => {
  let subsidy = 5_000_000_000n
  for (let end = halvingInterval; end <= height && subsidy > 0n; end += halvingInterval) subsidy = subsidy / 2n
  return subsidy
}
