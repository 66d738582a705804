import { coinbaseOf, inputOf } from "../../src/sequence/make-block.ts"
import type { NaiveEntry } from "../../src/sequence/naive-node.ts"
import { connectionOf } from "../../src/sequence/naive-node.ts"
import { blockSubsidy, createdCoins, type NaiveCoin } from "../../src/oracles/coins.ts"
import { littleEndian } from "../../src/oracles/byte-string.ts"
import type { NaiveParameters } from "../../src/oracles/deployments.ts"
import { medianTimePast, type NaiveHeader, requiredBits } from "../../src/oracles/header.ts"
import { outPointOf } from "../../src/oracles/set-hash.ts"
import { type NaiveTransaction, transactionId } from "../../src/oracles/transaction.ts"
import type { BlockPlan, SpendPlan } from "./plan.ts"
import { scriptNumber, unlocked } from "./spend-coin.ts"

/** How a block's witnesses are committed to; "kept" and "renewed" are for coinbases that came with a commitment. */
export type Commitment =
  | "right"
  | "wrong"
  | "none"
  | "short nonce"
  | "two items"
  | "twice"
  | "no nonce"
  | "kept"
  | "renewed"

/** A block that is not finished yet; damages change it. */
export interface Draft {
  readonly parent: NaiveEntry
  readonly parameters: NaiveParameters
  readonly now: number
  readonly height: number
  /** Coins that can be spent, by outpoint. */
  readonly coins: Map<string, NaiveCoin>
  header: Pick<NaiveHeader, "version" | "previous" | "time" | "bits">
  coinbase: NaiveTransaction
  transactions: Array<NaiveTransaction>
  commitment: Commitment
  /** Changes the finished block without its header. */
  after: (transactions: ReadonlyArray<NaiveTransaction>) => ReadonlyArray<NaiveTransaction>
}

/** Seconds from the parent to the block, many of them where a rule changes its mind. */
const timeOf = (parent: NaiveEntry, seconds: number, now: number): number => {
  const before = parent.chain.at(-1)!.time
  const median = medianTimePast(parent.chain)
  const times = [600, 600, 600, 1, 1_200, 1_201, 300, -600, -601, 2_400]
  return seconds === 10
    ? now + 7_200
    : seconds === 11
    ? median + 1
    : Math.max(median + 1, before + times[seconds % 10]!)
}

const SEQUENCES = [0xffffffff, 0xfffffffe, 0, 1, 2, 3, 0x80000001, 0x400000, 0x400001, 0x400002, 0x400004, 0x3f0001]
const VERSIONS = [1, 2, 2, 2, 0, 3, 0x80000002, 0xffffffff]

const lockTimeOf = (draft: Draft, lockTime: number): number => {
  const median = medianTimePast(draft.parent.chain)
  const { height, header } = draft
  return [
    0,
    0,
    0,
    0,
    height - 1,
    height,
    height + 1,
    median - 1,
    median,
    median + 1,
    header.time - 1,
    header.time
  ][lockTime]!
}

/** Coins that may be spent at the height, those made in the block first. */
const spendable = ({ coins, height }: Draft): ReadonlyArray<readonly [string, NaiveCoin]> =>
  [...coins].filter(([, coin]) => !coin.isCoinbase || height - coin.height >= 100).toReversed()

/** Takes the coins at `keys` and leaves those of the transaction. */
const settle = (draft: Draft, tx: NaiveTransaction, keys: ReadonlyArray<string>): void => {
  for (const key of keys) draft.coins.delete(key)
  for (const [key, coin] of createdCoins(tx, transactionId(tx), draft.height, false)) draft.coins.set(key, coin)
}

/** A transaction that spends `picked`, unlocked. */
export const spendOf = (
  picked: ReadonlyArray<readonly [string, NaiveCoin]>,
  outputs: ReadonlyArray<Uint8Array>,
  fee: bigint,
  fields: { readonly version: number; readonly sequence: number; readonly lockTime: number }
): NaiveTransaction => {
  const total = picked.reduce((sum, [, { value }]) => sum + value, 0n)
  const each = (total - fee) / BigInt(outputs.length)
  const inputs = picked.map(([key]) => ({
    ...inputOf(outPointOf(key).txid, outPointOf(key).vout),
    sequence: fields.sequence
  }))
  const { lockTime, version } = fields
  const tx = { version, inputs, outputs: outputs.map((script) => ({ value: each < 0n ? 0n : each, script })), lockTime }
  return unlocked(
    tx,
    picked.map(([, coin]) => coin)
  )
}

/** Adds a transaction; how much it pays as a fee, nothing when there is nothing to spend. */
export const addSpend = (draft: Draft, plan: SpendPlan): bigint => {
  const all = spendable(draft)
  if (all.length === 0) return 0n
  const first = plan.coin % all.length
  const picked = [all[first]!, all[(first + 1) % all.length]!].slice(0, Math.min(plan.inputs, all.length))
  const fee = BigInt(plan.fee * 1_000)
  const total = picked.reduce((sum, [, { value }]) => sum + value, 0n)
  const tx = spendOf(picked, plan.outputs.map(scriptNumber), fee, {
    version: VERSIONS[plan.version]!,
    sequence: SEQUENCES[plan.sequence]!,
    lockTime: lockTimeOf(draft, plan.lockTime)
  })
  draft.transactions.push(tx)
  settle(
    draft,
    tx,
    picked.map(([key]) => key)
  )
  return total - tx.outputs.reduce((sum, { value }) => sum + value, 0n)
}

/** The block of a plan on top of `parent`, before anything is done to it. */
export const draftOf = (
  plan: BlockPlan,
  parent: NaiveEntry,
  parameters: NaiveParameters,
  now: number,
  tag: number
): Draft => {
  const height = parent.chain.length
  const time = timeOf(parent, plan.seconds, now)
  const draft: Draft = {
    parent,
    parameters,
    now,
    height,
    coins: new Map(connectionOf(parent, parameters).coins),
    header: {
      version: 4,
      previous: parent.hashes.at(-1)!,
      time,
      bits: requiredBits(parent.chain, time, parameters.work)
    },
    coinbase: coinbaseOf(height, [], littleEndian(tag, 2)),
    transactions: [],
    commitment: "right",
    after: (transactions) => transactions
  }
  const fees = plan.spends.map((spend) => addSpend(draft, spend)).reduce((sum, fee) => sum + (fee > 0n ? fee : 0n), 0n)
  const claimed = blockSubsidy(height, parameters.subsidyHalvingInterval) + fees
  const outputs = Array.from({ length: 2 }, () => ({ value: claimed / 2n, script: Uint8Array.of(0x51) }))
  draft.coinbase = { ...draft.coinbase, outputs }
  return draft
}
