import type { Hash } from "@lockstep/kernel/quantities"
import { type Coin, isUnspendable } from "@lockstep/kernel/utxo"
import type { ChainStep } from "../../engine/state/chain-hook.ts"

/** A coin and where it was made. */
export interface PlacedOutput {
  readonly txid: Uint8Array
  readonly vout: number
  readonly coin: Coin
}

/** What one transaction of a block does to the coins. */
export interface TransactionOutputs {
  /** Its place in the block. */
  readonly position: number
  readonly txid: Uint8Array
  readonly spent: ReadonlyArray<PlacedOutput>
  /** Without those that nothing can spend. */
  readonly created: ReadonlyArray<PlacedOutput>
}

/**
 * What each transaction of a block does to the coins, in the order of the block. The genesis block makes no coin.
 * Precondition: the undo data are the block's.
 */
export const outputsOfBlock = ({ block, node: { height }, transactionIds, undo }: ChainStep) => {
  if (height === 0) return []
  return block.transactions.map(({ inputs, outputs }, position): TransactionOutputs => {
    const txid = transactionIds.subarray(32 * position, 32 * position + 32) as Hash
    const isCoinbase = position === 0
    return {
      position,
      txid,
      spent: isCoinbase
        ? []
        : inputs.map(({ prevout }, i) => ({ ...prevout, coin: undo.spent[position - 1]![i]! })),
      created: outputs.flatMap(({ script, value }, vout) =>
        isUnspendable(script) ? [] : [{ txid, vout, coin: { value, script, height, isCoinbase } }]
      )
    }
  })
}

/** Changes a set of unspent outputs with a block, or takes the block's changes back. */
export interface UnspentChanges {
  readonly add: (output: PlacedOutput) => void
  readonly take: (output: PlacedOutput) => void
}

/** The block's outputs are there, what it spends is not, and neither is a coin that a repeated coinbase replaced. */
export const addBlock = (
  { undo }: ChainStep,
  transactions: ReadonlyArray<TransactionOutputs>,
  { add, take }: UnspentChanges
): void => {
  for (const { coin, outpoint } of undo.replaced) take({ ...outpoint, coin })
  for (const { created, spent } of transactions) {
    for (const output of spent) take(output)
    for (const output of created) add(output)
  }
}

/** The opposite of {@link addBlock}, in the opposite order. */
export const removeBlock = (
  { undo }: ChainStep,
  transactions: ReadonlyArray<TransactionOutputs>,
  { add, take }: UnspentChanges
): void => {
  for (const { created, spent } of transactions.toReversed()) {
    for (const output of created) take(output)
    for (const output of spent) add(output)
  }
  for (const { coin, outpoint } of undo.replaced) add({ ...outpoint, coin })
}
