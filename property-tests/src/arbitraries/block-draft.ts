import type { NaiveBlock } from "../oracles/block.ts"
import { join } from "../oracles/byte-string.ts"
import { heightPush, witnessCommitment, witnessCommitmentIndex } from "../oracles/check-block.ts"
import {
  blockSubsidy,
  createdCoins,
  locksHaveRunOut,
  type NaiveCoin,
  type NaiveCoins,
  prevoutKey,
  valueOut
} from "../oracles/coins.ts"
import type { NaivePlace } from "../oracles/connect.ts"
import { sha256d } from "../oracles/hash.ts"
import { medianTimePast, type NaiveHeader, requiredBits, serializeHeader } from "../oracles/header.ts"
import { merkleRoot } from "../oracles/merkle.ts"
import { outPointOf } from "../oracles/set-hash.ts"
import { provesWork, targetOfBits } from "../oracles/target.ts"
import {
  hasWitness,
  type NaiveInput,
  type NaiveOutput,
  type NaiveTransaction,
  transactionId
} from "../oracles/transaction.ts"
import { type Decisions, oneIn, pick } from "./decisions.ts"
import { FREE_LOCKS, lockOf, SIGNED_LOCKS } from "./locks.ts"

const NOTHING = new Uint8Array(0)
const FINAL = 0xffffffff

/** A block that still lacks its commitments and its proof of work. */
export interface Draft {
  readonly transactions: ReadonlyArray<NaiveTransaction>
  /** What of the header is not to be as it should be. */
  readonly header: Partial<NaiveHeader>
  /** Whether the witness commitment is brought up to date, where there is one. */
  readonly commits: boolean
}

const anyLock = (decisions: Decisions, legacy: boolean): Uint8Array => {
  const locks = oneIn(decisions, 25) ? SIGNED_LOCKS : FREE_LOCKS
  return pick(
    decisions,
    locks.filter(({ isLegacy }) => isLegacy || !legacy)
  ).script
}

/** Outputs that share out `value`, now and then with an unspendable one. */
const shares = (decisions: Decisions, value: bigint): ReadonlyArray<NaiveOutput> => {
  const outputs: Array<NaiveOutput> = []
  let rest = value
  for (let more = decisions.below(3); more > 0; more--) {
    const part = (rest * BigInt(decisions.below(100))) / 100n
    outputs.push({ value: part, script: anyLock(decisions, oneIn(decisions, 2)) })
    rest -= part
  }
  if (oneIn(decisions, 8)) {
    outputs.push({ value: BigInt(decisions.below(2)) * (rest / 2n), script: Uint8Array.of(0x6a, 1, 7) })
  }
  const left = value - outputs.reduce((sum, output) => sum + output.value, 0n)
  return [...outputs, { value: left, script: anyLock(decisions, oneIn(decisions, 2)) }]
}

type PlacedCoin = readonly [key: string, coin: NaiveCoin]

const unopened = (key: string, sequence: number): NaiveInput => ({
  ...outPointOf(key),
  script: NOTHING,
  sequence,
  witness: []
})

/** `tx` with every input opened that spends a coin with a known lock. */
export const opened = (tx: NaiveTransaction, coins: ReadonlyArray<NaiveOutput>): NaiveTransaction =>
  coins.reduce((done, coin, i) => lockOf(coin)?.open(done, coins, i) ?? done, tx)

/** Sequence numbers that hold: final ones, or relative locks of all kinds that have run out. */
const sequenceFor = (decisions: Decisions): number =>
  oneIn(decisions, 3)
    ? pick(decisions, [0, 1, 2, 5, 100, 0x400000, 0x400001, 0x400005, 0x80000000, 0x80400009, 0x3f0001, FINAL - 1])
    : FINAL

/** A transaction that spends some of `available` on top of the place's chain, with a fee or none. */
const spending = (
  decisions: Decisions,
  available: ReadonlyArray<PlacedCoin>,
  { chain, parameters }: NaivePlace
): NaiveTransaction => {
  const taken = new Map(Array.from({ length: 1 + decisions.below(3) }, () => pick(decisions, available)))
  const coins = [...taken.values()]
  const value = coins.reduce((sum, coin) => sum + coin.value, 0n)
  const fee = value > 0n ? BigInt(decisions.below(3)) : 0n
  const tx: NaiveTransaction = {
    version: pick(decisions, [1, 2, 2, 0xffffffff]),
    inputs: [...taken.keys()].map((key) => unopened(key, sequenceFor(decisions))),
    outputs: shares(decisions, value - fee),
    lockTime: oneIn(decisions, 5) ? pick(decisions, [chain.length - 1, medianTimePast(chain) - 1, 0]) : 0
  }
  const waits = chain.length >= parameters.heights.csv && !locksHaveRunOut(tx, coins, chain)
  const inputs = waits ? tx.inputs.map((input) => ({ ...input, sequence: FINAL })) : tx.inputs
  return opened({ ...tx, inputs }, coins)
}

const isSpendable = ([, coin]: PlacedCoin, height: number, segwit: boolean): boolean => {
  const lock = lockOf(coin)
  if (lock === undefined || (!segwit && !lock.isLegacy)) return false
  return !coin.isCoinbase || height - coin.height >= 100
}

const commitment = (): NaiveOutput => ({
  value: 0n,
  script: join([0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed], new Uint8Array(32))
})

const coinbase = (
  decisions: Decisions,
  { chain, parameters }: NaivePlace,
  fees: bigint,
  others: ReadonlyArray<NaiveTransaction>
): NaiveTransaction => {
  const height = chain.length
  const limit = blockSubsidy(height, parameters.subsidyHalvingInterval) + fees
  const paid = oneIn(decisions, 6) ? limit / 2n : limit
  const commits = height >= parameters.heights.segwit && (others.some(hasWitness) || oneIn(decisions, 3))
  return {
    version: pick(decisions, [1, 2]),
    inputs: [
      {
        txid: new Uint8Array(32),
        vout: 0xffffffff,
        script: join(heightPush(height), [decisions.below(200), 0]),
        sequence: FINAL,
        witness: commits ? [new Uint8Array(32).fill(decisions.below(3))] : []
      }
    ],
    outputs: [...shares(decisions, paid), ...(commits ? [commitment()] : [])],
    lockTime: 0
  }
}

/** A draft of a block that holds on top of the place's chain and spends from `coins`. */
export const validDraft = (decisions: Decisions, place: NaivePlace, coins: NaiveCoins): Draft => {
  const height = place.chain.length
  const segwit = height >= place.parameters.heights.segwit
  let available: ReadonlyArray<PlacedCoin> = [...coins].filter((coin) => isSpendable(coin, height, segwit))
  let fees = 0n
  const others: Array<NaiveTransaction> = []
  for (let more = decisions.below(5); more > 0 && available.length > 0; more--) {
    const tx = spending(decisions, available, place)
    const keys = new Set(tx.inputs.map(prevoutKey))
    const spent = available.filter(([key]) => keys.has(key))
    fees += spent.reduce((sum, [, { value }]) => sum + value, 0n) - valueOut(tx)
    const created = createdCoins(tx, transactionId(tx), height, false).filter((coin) =>
      isSpendable(coin, height, segwit)
    )
    available = [...available.filter(([key]) => !keys.has(key)), ...created]
    others.push(tx)
  }
  return { transactions: [coinbase(decisions, place, fees, others), ...others], header: {}, commits: true }
}

/** The coinbase with its commitment brought up to date. */
const committed = (transactions: ReadonlyArray<NaiveTransaction>): ReadonlyArray<NaiveTransaction> => {
  const [first, ...others] = transactions
  const nonce = first?.inputs[0]?.witness[0]
  const index = first === undefined ? -1 : witnessCommitmentIndex(first)
  if (first === undefined || nonce === undefined || index < 0) return transactions
  const hash = witnessCommitment(transactions, nonce)
  const outputs = first.outputs.map((output, i) =>
    i === index ? { ...output, script: join(output.script.subarray(0, 6), hash, output.script.subarray(38)) } : output
  )
  return [{ ...first, outputs }, ...others]
}

/** Tries nonces until the hash proves the work that the bits stand for, where that takes but a few. */
const mined = (header: NaiveHeader, powLimit: bigint): Uint8Array => {
  for (let nonce = header.nonce; nonce < header.nonce + 5_000; nonce++) {
    const bytes = serializeHeader({ ...header, nonce })
    const isEasy = (targetOfBits(header.bits) ?? 0n) > 1n << 246n
    if (!isEasy || provesWork(sha256d(bytes), header.bits, powLimit)) return bytes
  }
  return serializeHeader(header)
}

/** The block of a draft: commitments, header, proof of work. */
export const sealed = (
  decisions: Decisions,
  { transactions, header, commits }: Draft,
  place: NaivePlace
): NaiveBlock => {
  const { chain, hashes, parameters } = place
  const all = commits ? committed(transactions) : transactions
  const parent = chain.at(-1)!
  const step = pick(decisions, [600, 1, 0, 1_201, 30, -500, 3_000])
  const time = header.time ?? Math.max(medianTimePast(chain) + 1, parent.time + step)
  const complete: NaiveHeader = {
    version: pick(decisions, [0x20000000, 4, 0x20000001]),
    previous: hashes.at(-1)!,
    merkleRoot: merkleRoot(all.map(transactionId)).root,
    time,
    bits: requiredBits(chain, time, parameters.work),
    nonce: 0,
    ...header
  }
  return { header: mined(complete, parameters.work.powLimit), transactions: all }
}
