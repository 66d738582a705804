import * as Result from "effect/Result"
import type { BlockIdentity } from "../model/block-identity.ts"
import type { ChainParameters } from "../parameters/chain-parameters.ts"
import { forbidsOverwriting } from "../deployment/repeated-coinbase.ts"
import { blockScriptFlags } from "../deployment/script-flags.ts"
import type { HeaderNode } from "../chain/header-node.ts"
import type { Block } from "../model/block.ts"
import type { Transaction } from "../model/transaction.ts"
import type { ScriptFlags } from "../script/flags.ts"
import { transactionSigOpCost } from "../sigops/cost.ts"
import { checkInputs, valueOut } from "../tx/check-inputs.ts"
import { inputsAreAvailable } from "../tx/spending.ts"
import { sequenceLocks, sequenceLocksArePassed } from "../tx/sequence-locks.ts"
import type { Coin, PlacedCoin, UtxoView } from "../utxo/coin.ts"
import { applySpending, type Overlay, overlayOn } from "../utxo/overlay.ts"
import type { BlockUndo } from "../utxo/undo.ts"
import { HOLDS, type Verdict, type Violation } from "../verdict.ts"
import { coinbasePaysAtMost, feesAreInRange, overwritesNoCoin, sigOpCostFitsBlock } from "./block-rules.ts"
import { blockSubsidy } from "./subsidy.ts"

/** The scripts of one transaction, which can be judged anywhere: all its inputs, under the block's flags. */
export interface ScriptJob {
  readonly tx: Transaction
  readonly coins: ReadonlyArray<Coin>
  readonly flags: ScriptFlags
}

/**
 * A block connected but for its scripts. `failure` is the first rule it breaks; `jobs` are those of the transactions
 * before that, since a script that fails earlier in the block is the earlier failure.
 */
export interface Collected {
  readonly failure: Violation | undefined
  readonly jobs: ReadonlyArray<ScriptJob>
  readonly delta: Overlay
  readonly undo: BlockUndo
  readonly fees: bigint
  readonly sigOpCost: number
}

/** State carried from transaction to transaction while a block is collected. */
interface Progress {
  readonly block: Block
  readonly node: HeaderNode
  readonly identity: BlockIdentity
  readonly locks: boolean
  readonly flags: ScriptFlags
  readonly delta: Overlay
  readonly jobs: Array<ScriptJob>
  readonly spent: Array<ReadonlyArray<Coin>>
  readonly replaced: Array<PlacedCoin>
  fees: bigint
  sigOpCost: number
}

const spendInputs = (progress: Progress, tx: Transaction): Verdict<ReadonlyArray<Coin>, Violation> => {
  const { delta, locks, node } = progress
  const available = inputsAreAvailable(tx, delta)
  if (Result.isFailure(available)) return available
  const coins = available.success
  const fee = checkInputs(tx, coins, node.height)
  if (Result.isFailure(fee)) return Result.fail(fee.failure)
  progress.fees += fee.success
  const inRange = feesAreInRange(progress.fees)
  if (Result.isFailure(inRange)) return Result.fail(inRange.failure)
  if (!locks) return available
  const parent = node.parent!
  const locksPassed = sequenceLocksArePassed(sequenceLocks(tx, coins, parent), parent)
  return Result.isFailure(locksPassed) ? Result.fail(locksPassed.failure) : available
}

const collectTransaction = (progress: Progress, index: number): Verdict<void, Violation> => {
  const { block, delta, flags, identity, node } = progress
  const tx = block.transactions[index]!
  const spending = index === 0 ? Result.succeed([]) : spendInputs(progress, tx)
  if (Result.isFailure(spending)) return Result.fail(spending.failure)
  const coins = spending.success
  progress.sigOpCost += transactionSigOpCost(tx, coins, flags)
  const fits = sigOpCostFitsBlock(progress.sigOpCost)
  if (Result.isFailure(fits)) return fits
  if (index > 0) {
    progress.jobs.push({ tx, coins, flags })
    progress.spent.push(coins)
  }
  const txid = identity.transactionIds.subarray(index * 32, index * 32 + 32)
  progress.replaced.push(...applySpending(delta, tx, txid, node.height, index === 0, coins))
  return HOLDS
}

const collectTransactions = (
  progress: Progress,
  parameters: ChainParameters,
  view: UtxoView
): Verdict<void, Violation> => {
  const { block, identity, node } = progress
  if (forbidsOverwriting(node, parameters)) {
    const overwritesNone = overwritesNoCoin(block, identity.transactionIds, view)
    if (Result.isFailure(overwritesNone)) return overwritesNone
  }
  for (let i = 0; i < block.transactions.length; i++) {
    const verdict = collectTransaction(progress, i)
    if (Result.isFailure(verdict)) return verdict
  }
  const limit = progress.fees + blockSubsidy(node.height, parameters.subsidyHalvingInterval)
  return coinbasePaysAtMost(valueOut(block.transactions[0]!), limit)
}

/** A number that depends on all of a block and that its maker could not choose freely. */
export const tableSeed = (hash: Uint8Array): number => new DataView(hash.buffer, hash.byteOffset, 32).getInt32(0, true)

/**
 * Connects a block to `view` in every respect but scripts. Coins evolve transaction by transaction, so that one may
 * spend what an earlier one created. Nothing is spent twice, whether scripts are judged or not.
 *
 * Precondition: BLK-015 and BLK-016; `view` is the state after `node.parent`; `node` is no genesis, whose outputs never
 * exist.
 *
 * @spec UTX-009 #d4493a2b
 */
export const collectBlock = (
  block: Block,
  node: HeaderNode,
  identity: BlockIdentity,
  parameters: ChainParameters,
  view: UtxoView
): Collected => {
  const expected = block.transactions.length * 4
  const progress: Progress = {
    block,
    node,
    identity,
    locks: node.height >= parameters.heights.csv,
    flags: blockScriptFlags(node.hash, node.height, parameters),
    delta: overlayOn(view, expected, tableSeed(identity.hash)),
    jobs: [],
    spent: [],
    replaced: [],
    fees: 0n,
    sigOpCost: 0
  }
  const verdict = collectTransactions(progress, parameters, view)
  const { delta, fees, jobs, replaced, sigOpCost, spent } = progress
  return {
    failure: Result.isFailure(verdict) ? verdict.failure : undefined,
    jobs,
    delta,
    undo: { spent, replaced },
    fees,
    sigOpCost
  }
}
