import { sizedLength } from "@lockstep/kernel/internal/bytes/writer.ts"
import type { Collected } from "@lockstep/kernel/internal/connect/collect.ts"
import { blockSubsidy } from "@lockstep/kernel/internal/connect/subsidy.ts"
import { medianTimePast } from "@lockstep/kernel/internal/chain/median-time.ts"
import type { Block } from "@lockstep/kernel/internal/model/block.ts"
import type { Transaction } from "@lockstep/kernel/internal/model/transaction.ts"
import { transactionWeight } from "@lockstep/kernel/internal/model/weight.ts"
import { valueOut } from "@lockstep/kernel/internal/tx/check-inputs.ts"
import type { Coin } from "@lockstep/kernel/internal/utxo/coin.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { inOrder } from "../chain/in-order.ts"
import { extend, storeOf } from "../chain/offer.ts"
import type { Store } from "../chain/store.ts"
import type { Field } from "../formats/field.ts"
import { displayHexOf, hexOf } from "../formats/hex.ts"
import { readJson } from "../formats/read-file.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { Runner } from "./runner.ts"

const sum = <A>(items: ReadonlyArray<A>, of: (item: A) => number): number =>
  items.reduce((total, item) => total + of(item), 0)

const sumOfValues = (txs: ReadonlyArray<Transaction>): bigint => txs.reduce((total, tx) => total + valueOut(tx), 0n)

/**
 * Value and script as serialized, with outpoint and, in four bytes, height and coinbase mark: what `getblockstats`
 * counts a coin.
 */
const storedSize = ({ script }: Coin): number => 8 + sizedLength(script) + 36 + 4

/** What the kernel's answers say about a block, under the names that `getblockstats` uses. */
const statisticsOf = (store: Store, block: Block, collected: Collected): ReadonlyMap<string, number | string> => {
  const { header, transactions } = block
  const [, ...paying] = transactions
  const withWitness = paying.filter(({ hasWitness }) => hasWitness)
  const { tip } = store
  const fees = paying.map((tx, i) =>
    collected.undo.spent[i]!.reduce((total, { value }) => total + value, 0n) - valueOut(tx)
  )
  const { values } = collected.delta.changes
  const created = values.filter(({ after, before }) => after !== undefined && before === undefined).map(({ after }) =>
    after!
  )
  const removed = values.filter(({ after, before }) => before !== undefined && after === undefined).map(({ before }) =>
    before!
  )
  return new Map<string, number | string>([
    ["blockhash", displayHexOf(tip.node.hash)],
    ["height", tip.node.height],
    ["time", header.time],
    ["mediantime", medianTimePast(tip.node)],
    ["txs", transactions.length],
    ["ins", sum(paying, ({ inputs }) => inputs.length)],
    ["outs", sum(transactions, ({ outputs }) => outputs.length)],
    ["subsidy", Number(blockSubsidy(tip.node.height, store.parameters.subsidyHalvingInterval))],
    ["total_out", Number(sumOfValues(paying))],
    ["totalfee", Number(collected.fees)],
    ["total_size", sum(paying, ({ bytes }) => bytes.length)],
    ["total_weight", sum(paying, transactionWeight)],
    ["swtxs", withWitness.length],
    ["swtotal_size", sum(withWitness, ({ bytes }) => bytes.length)],
    ["swtotal_weight", sum(withWitness, transactionWeight)],
    ["utxo_increase_actual", created.length - removed.length],
    ["utxo_size_inc_actual", sum(created, storedSize) - sum(removed, storedSize)],
    ["minfee", Number(fees.reduce((least, fee) => fee < least ? fee : least, fees[0] ?? 0n))],
    ["maxfee", Number(fees.reduce((most, fee) => fee > most ? fee : most, 0n))],
    ["avgfee", fees.length === 0 ? 0 : Number(collected.fees / BigInt(fees.length))]
  ])
}

const judgeStatistics = (expected: Field, actual: ReadonlyMap<string, number | string>): Outcome => {
  for (const name of expected.names) {
    const value = actual.get(name)
    if (value === undefined) continue
    const outcome = same(name, expected.get(name).raw, value)
    if (outcome !== undefined) return outcome
  }
  return undefined
}

/** A chain of which Bitcoin Core's `getblockstats` describes some blocks; what the kernel decides is compared. */
export const blockChainStatistics: Runner = function*(file) {
  const content = readJson(file)
  const stats = new Map(content.get("stats").items.map((row) => [row.get("height").integer, row]))
  const step = inOrder()
  let store: Store | undefined
  for (const [height, block] of content.get("blocks").items.entries()) {
    const judge = step(({ crypto }) => {
      store ??= storeOf(REGTEST, crypto)
      if (height === 0) return same("genesis block", hexOf(REGTEST.genesisBlock), hexOf(block.bytes))
      const expected = stats.get(height)
      let actual: ReadonlyMap<string, number | string> = new Map()
      const outcome = extend(store, block.bytes, {
        connected: (_, connected, collected) => {
          actual = statisticsOf(store!, connected, collected)
        }
      })
      return outcome ?? (expected && judgeStatistics(expected, actual))
    })
    yield { index: String(height), name: `block ${height}`, judge }
  }
}
