import type { Collected } from "@lockstep/kernel/internal/connect/collect.ts"
import { blockSubsidy } from "@lockstep/kernel/internal/connect/subsidy.ts"
import type { Block } from "@lockstep/kernel/internal/model/block.ts"
import { isUnspendable } from "@lockstep/kernel/internal/utxo/spendable.ts"
import type { Field } from "../formats/field.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import { satoshisOf } from "./amount.ts"

/** Where the money of one block goes, in satoshis. */
export interface BlockStatistics {
  readonly spent: bigint
  readonly coinbase: bigint
  readonly created: bigint
  /** Paid to unspendable scripts. */
  readonly scripts: bigint
  /** What the coinbase might have claimed and did not. */
  readonly unclaimed: bigint
}

/** The statistics of a connected block. Precondition: it is no genesis block and repeats no coinbase. */
export const blockStatistics = (
  block: Block,
  height: number,
  collected: Collected,
  halvingInterval: number
): BlockStatistics => {
  let [coinbase, created, scripts, spent] = [0n, 0n, 0n, 0n]
  for (const [i, { outputs }] of block.transactions.entries()) {
    for (const { script, value } of outputs) {
      if (isUnspendable(script)) scripts += value
      else if (i === 0) coinbase += value
      else created += value
    }
  }
  for (const coins of collected.undo.spent) for (const { value } of coins) spent += value
  const unclaimed = spent + blockSubsidy(height, halvingInterval) - coinbase - created - scripts
  return { spent, coinbase, created, scripts, unclaimed }
}

const amount = (what: string, field: Field, actual: bigint): Outcome => same(what, satoshisOf(field.number), actual)

/** Compares with the `block_info` of `gettxoutsetinfo`. */
export const judgeBlockInfo = (info: Field, statistics: BlockStatistics): Outcome => {
  const { coinbase, created, scripts, spent, unclaimed } = statistics
  const unspendables = info.get("unspendables")
  return amount("amount spent", info.get("prevout_spent"), spent) ??
    amount("coinbase amount", info.get("coinbase"), coinbase) ??
    amount("amount of other outputs", info.get("new_outputs_ex_coinbase"), created) ??
    amount("unspendable amount", info.get("unspendable"), scripts + unclaimed) ??
    amount("amount of unspendable scripts", unspendables.get("scripts"), scripts) ??
    amount("unclaimed amount", unspendables.get("unclaimed_rewards"), unclaimed)
}
