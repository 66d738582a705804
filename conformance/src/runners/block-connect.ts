import { blockIdentity, type BlockIdentity } from "@lockstep/kernel/internal/model/block-identity.ts"
import { bytesEqual } from "@lockstep/kernel/internal/bytes/equal.ts"
import { type Collected, collectBlock, tableSeed } from "@lockstep/kernel/internal/connect/collect.ts"
import { blockSubsidy } from "@lockstep/kernel/internal/connect/subsidy.ts"
import type { ChainParameters } from "@lockstep/kernel/internal/parameters/chain-parameters.ts"
import { medianTimePast } from "@lockstep/kernel/internal/chain/median-time.ts"
import type { HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import type { Block } from "@lockstep/kernel/internal/model/block.ts"
import type { Transaction } from "@lockstep/kernel/internal/model/transaction.ts"
import { valueOut } from "@lockstep/kernel/internal/tx/check-inputs.ts"
import { sequenceLocks, sequenceLocksArePassed } from "@lockstep/kernel/internal/tx/sequence-locks.ts"
import type { Coin, UtxoView } from "@lockstep/kernel/internal/utxo/coin.ts"
import { disconnectBlock } from "@lockstep/kernel/internal/utxo/undo.ts"
import * as Result from "effect/Result"
import { parentOf, parentOver, viewOf } from "../chain/block-setting.ts"
import { detachedChain } from "../chain/detached-chain.ts"
import type { Field } from "../formats/field.ts"
import { readJson } from "../formats/read-file.ts"
import type { Bench } from "../judge/bench.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { VectorFile } from "../sources/source.ts"
import { besides, blockIn, blockNameOf, factsOf, placeOf } from "./block-file.ts"
import { chainEndBelow, parametersOf } from "./block-rules.ts"
import type { Runner } from "./runner.ts"

/** A coin that a block spends, with the median time past below it where the file gives it. */
interface Spent {
  readonly coin: Coin
  readonly medianTime: number | undefined
}

/** A block with everything that is known about what it stands on. */
interface Setting {
  readonly block: Block
  readonly identity: BlockIdentity
  readonly height: number
  readonly parameters: ChainParameters
  readonly parent: HeaderNode
  readonly spent: ReadonlyArray<ReadonlyArray<Spent>>
  readonly view: UtxoView
}

const integerAt = (row: Field, index: number): number | undefined =>
  row.at(index).raw === null ? undefined : row.at(index).integer

const spentOf = (row: Field): Spent => ({
  coin: {
    value: row.at(0).bigint,
    script: row.at(1).bytes,
    // Without a height nothing is known of its age; age matters to coins of coinbases and to relative locks alone.
    height: integerAt(row, 2) ?? 0,
    isCoinbase: row.at(3).raw !== null && row.at(3).boolean && row.at(2).raw !== null
  },
  medianTime: integerAt(row, 4)
})

const settingOf = (file: VectorFile, { crypto }: Bench): Setting => {
  const block = blockIn(besides(file, ".blk"))
  const { height } = placeOf(file)
  const parameters = parametersOf(file)
  const facts = factsOf(file)
  const below = facts && chainEndBelow(facts)
  const medianTime = below === undefined ? block.header.time - 1 : medianTimePast(detachedChain(below))
  const rows = readJson(file).items.map(spentOf)
  let next = 0
  const spent = block.transactions.map((tx, i) => i === 0 ? [] : rows.slice(next, next += tx.inputs.length))
  const identity = blockIdentity(block, crypto)
  const view = viewOf(block, identity.transactionIds, spent.map((inputs) => inputs.map(({ coin }) => coin)))
  return { block, identity, height, parameters, parent: parentOf(block, height, medianTime, parameters), spent, view }
}

const withInput = (tx: Transaction, input: number): Transaction => ({ ...tx, inputs: [tx.inputs[input]!] })

/** Relative locks, input by input: each coin's own past is known, not that of the whole chain. */
const judgeLocks = ({ block, height, parameters, parent, spent }: Setting): Outcome => {
  if (height < parameters.heights.csv) return undefined
  for (const [t, inputs] of spent.entries()) {
    for (const [i, { coin, medianTime }] of inputs.entries()) {
      if (medianTime === undefined) continue
      const locks = sequenceLocks(withInput(block.transactions[t]!, i), [coin], parentOver(parent, coin, medianTime))
      const passed = sequenceLocksArePassed(locks, parent)
      if (Result.isFailure(passed)) {
        return { expected: "holds", actual: `transaction ${t}, input ${i} is locked`, rule: passed.failure.rule }
      }
    }
  }
  return undefined
}

const judgeMoney = ({ block, height, parameters }: Setting, { fees, sigOpCost }: Collected, facts: Field): Outcome => {
  const subsidy = blockSubsidy(height, parameters.subsidyHalvingInterval)
  const paid = valueOut(block.transactions[0]!)
  const cost = facts.find("context")?.find("sigopsCost")
  return same("fees", facts.get("fees").bigint, fees) ?? same("subsidy", facts.get("subsidy").bigint, subsidy) ??
    same("coinbase", facts.get("coinbaseOut").bigint, paid) ?? same("unclaimed", 0n, subsidy + fees - paid) ??
    (cost && same("cost of signature operations", cost.integer, sigOpCost))
}

const sameCoin = (a: Coin | undefined, b: Coin | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.value === b.value && a.height === b.height && a.isCoinbase === b.isCoinbase && bytesEqual(a.script, b.script)

/** Disconnecting what was connected gives back the view, coin by coin. */
const judgeDisconnect = ({ block, height, identity, view }: Setting, { delta, undo }: Collected): Outcome => {
  const before = disconnectBlock(block, identity.transactionIds, height, undo, delta, tableSeed(identity.hash))
  if (Result.isFailure(before)) return { expected: "disconnects", actual: "does not", rule: before.failure.rule }
  const wrong = delta.changes.outpoints.filter((outpoint) =>
    !sameCoin(before.success.coinAt(outpoint), view.coinAt(outpoint))
  )
  return same("coins that do not come back", 0, wrong.length)
}

const judgeBlock = (file: VectorFile, bench: Bench): Outcome => {
  const setting = settingOf(file, bench)
  const { block, height, identity, parameters, parent, view } = setting
  const node = { ...parent, hash: identity.hash, height, parent, skip: parent, header: block.header }
  // Relative locks need a past that is known coin by coin only: they are judged apart.
  const withoutLocks = { ...parameters, heights: { ...parameters.heights, csv: Infinity } }
  const collected = collectBlock(block, node, identity, withoutLocks, view)
  if (collected.failure !== undefined) return { expected: "connects", actual: "fails", rule: collected.failure.rule }
  const facts = factsOf(file)
  return (facts && judgeMoney(setting, collected, facts)) ?? judgeLocks(setting) ?? judgeDisconnect(setting, collected)
}

/** A real block with the outputs that it spends: connected but for its scripts, then disconnected. */
export const blockConnect: Runner = function*(file) {
  yield { index: "0", name: blockNameOf(file), judge: (bench) => judgeBlock(file, bench) }
}
