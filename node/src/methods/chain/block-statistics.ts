import { compactSizeLength } from "@lockstep/kernel/bytes"
import { WITNESS_SCALE_FACTOR } from "@lockstep/kernel/constants"
import { type Block, type Transaction, type TransactionOutput, transactionWeight } from "@lockstep/kernel/model"
import { type Coin, isUnspendable } from "@lockstep/kernel/utxo"
import { feeRatePercentiles, truncatedMedian } from "./fee-percentiles.ts"

/** Bytes of an unspent output besides its own: its outpoint, and its height with the coinbase flag. */
const OUTPUT_OVERHEAD = 40

const setBytes = ({ script }: TransactionOutput): number =>
  8 + compactSizeLength(script.length) + script.length + OUTPUT_OVERHEAD

const valueOf = (outputs: ReadonlyArray<TransactionOutput>): bigint =>
  outputs.reduce((sum, { value }) => sum + value, 0n)

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, each) => total + each, 0)

const largest = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => Math.max(a, b), 0)

/** Returns the smallest number, or 0 for an empty list. */
const smallest = (numbers: ReadonlyArray<number>): number =>
  numbers.length === 0 ? 0 : numbers.reduce((a, b) => Math.min(a, b))

const mean = (total: number, count: number): number => count === 0 ? 0 : Math.trunc(total / count)

interface Payment {
  readonly size: number
  readonly weight: number
  readonly hasWitness: boolean
  readonly inputs: number
  readonly out: bigint
  readonly fee: number
  /** Satoshis per virtual byte. */
  readonly rate: number
}

const paymentOf = (tx: Transaction, spent: ReadonlyArray<Coin>): Payment => {
  const weight = transactionWeight(tx)
  const out = valueOf(tx.outputs)
  const fee = Number(valueOf(spent) - out)
  const rate = Math.trunc(fee * WITNESS_SCALE_FACTOR / weight)
  return { size: tx.bytes.length, weight, hasWitness: tx.hasWitness, inputs: tx.inputs.length, out, fee, rate }
}

/** Returns the changes to the UTXO set. `real` excludes outputs that never enter it. */
const setChanges = ({ transactions }: Block, spent: ReadonlyArray<ReadonlyArray<Coin>>, countsCoinbase: boolean) => {
  const outputs = transactions.flatMap((tx) => tx.outputs)
  const real = (countsCoinbase ? transactions : transactions.slice(1)).flatMap((tx) => tx.outputs)
    .filter(({ script }) => !isUnspendable(script))
  const taken = sum(spent.map((coins) => sum(coins.map(setBytes))))
  return {
    outputs: outputs.length,
    bytes: sum(outputs.map(setBytes)) - taken,
    realOutputs: real.length,
    realBytes: sum(real.map(setBytes)) - taken
  }
}

/**
 * Returns the statistics of a block, by name and in order. Only few include the coinbase. `countsCoinbase` is false if
 * its outputs are not new in the UTXO set: in the genesis block, and in a coinbase that repeats another.
 */
export const blockStatistics = (block: Block, spent: ReadonlyArray<ReadonlyArray<Coin>>, countsCoinbase: boolean) => {
  const payments = block.transactions.slice(1).map((tx, i) => paymentOf(tx, spent[i] ?? []))
  const fees = payments.map(({ fee }) => fee)
  const rates = payments.map(({ rate }) => rate)
  const sizes = payments.map(({ size }) => size)
  const witnessed = payments.filter(({ hasWitness }) => hasWitness)
  const [totalFee, totalSize, totalWeight] = [sum(fees), sum(sizes), sum(payments.map(({ weight }) => weight))]
  const inputs = sum(payments.map((each) => each.inputs))
  const set = setChanges(block, spent, countsCoinbase)
  return {
    avgfee: mean(totalFee, payments.length),
    avgfeerate: mean(totalFee * WITNESS_SCALE_FACTOR, totalWeight),
    avgtxsize: mean(totalSize, payments.length),
    feerate_percentiles: feeRatePercentiles(payments, totalWeight),
    ins: inputs,
    maxfee: largest(fees),
    maxfeerate: largest(rates),
    maxtxsize: largest(sizes),
    medianfee: truncatedMedian(fees),
    mediantxsize: truncatedMedian(sizes),
    minfee: smallest(fees),
    minfeerate: smallest(rates),
    mintxsize: smallest(sizes),
    outs: set.outputs,
    swtotal_size: sum(witnessed.map(({ size }) => size)),
    swtotal_weight: sum(witnessed.map(({ weight }) => weight)),
    swtxs: witnessed.length,
    total_out: payments.reduce((total, { out }) => total + out, 0n),
    total_size: totalSize,
    total_weight: totalWeight,
    totalfee: totalFee,
    txs: block.transactions.length,
    utxo_increase: set.outputs - inputs,
    utxo_size_inc: set.bytes,
    utxo_increase_actual: set.realOutputs - inputs,
    utxo_size_inc_actual: set.realBytes
  }
}
