import type { Hash } from "@lockstep/kernel/quantities"
import { type Coin, isUnspendable } from "@lockstep/kernel/utxo"
import type { ChainStep } from "../../engine/state/chain-hook.ts"

/** A coin and the outpoint that created it. */
export interface PlacedOutput {
  readonly txid: Uint8Array
  readonly vout: number
  readonly coin: Coin
}

/** The coins that one transaction of a block creates and spends. */
export interface TransactionOutputs {
  /** Its index in the block. */
  readonly position: number
  readonly txid: Uint8Array
  readonly spent: ReadonlyArray<PlacedOutput>
  /** Created outputs, without unspendable ones. */
  readonly created: ReadonlyArray<PlacedOutput>
}

/**
 * Lists the coins that each transaction of a block creates and spends, in block order. The genesis block creates no
 * coin. Precondition: the undo data are those of the block.
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

/** Changes of a set of unspent outputs by a block, or by its disconnection. */
export interface UnspentChanges {
  readonly add: (output: PlacedOutput) => void
  readonly take: (output: PlacedOutput) => void
}

/** Adds the block's outputs, and removes the outputs that it spends and those that a repeated coinbase overwrote. */
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

/** Reverts {@link addBlock}, in the opposite order. */
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
