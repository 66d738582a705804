import { tableSeed } from "@lockstep/kernel/internal/connect/collect.ts"
import type { ChainParameters } from "@lockstep/kernel/internal/parameters/chain-parameters.ts"
import type { HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import type { Block } from "@lockstep/kernel/internal/model/block.ts"
import type { Coin, UtxoView } from "@lockstep/kernel/internal/utxo/coin.ts"
import { addEntry, entryAt, outPointTable } from "@lockstep/kernel/internal/utxo/outpoint-table.ts"
import { headerAt } from "./detached-chain.ts"

/** The parent of a block that stands alone in a file: at the height below it, after the block that activated BIP34. */
export const parentOf = (
  { header }: Block,
  height: number,
  medianTime: number,
  parameters: ChainParameters
): HeaderNode => {
  const { bip34Hash, heights } = parameters
  const activation = bip34Hash === undefined || height - 1 <= heights.bip34
    ? undefined
    : { ...headerAt(heights.bip34, 0, header.bits, bip34Hash), parent: undefined, skip: undefined }
  return headerAt(height - 1, medianTime, header.bits, header.previous, activation)
}

/**
 * `parent` on top of a header at the height below `coin`, whose median time past is `medianTime`: all that its locks
 * look at.
 */
export const parentOver = (parent: HeaderNode, coin: Coin, medianTime: number): HeaderNode => {
  const base = headerAt(Math.max(coin.height - 1, 0), medianTime, parent.header.bits, parent.hash)
  return base.height < parent.height ? { ...parent, parent: base, skip: base } : base
}

const keyOf = (txid: Uint8Array): string =>
  Buffer.from(txid.buffer, txid.byteOffset, txid.byteLength).toString("latin1")

/**
 * The coins that `block` spends and does not create itself; `coins` are those of each transaction, none of the first.
 */
export const viewOf = (block: Block, ids: Uint8Array, coins: ReadonlyArray<ReadonlyArray<Coin>>): UtxoView => {
  const own = new Set(block.transactions.map((_, i) => keyOf(ids.subarray(i * 32, i * 32 + 32))))
  const table = outPointTable<Coin>(coins.length, tableSeed(block.header.previous))
  for (const [t, spent] of coins.entries()) {
    for (const [i, coin] of spent.entries()) {
      const { prevout } = block.transactions[t]!.inputs[i]!
      if (!own.has(keyOf(prevout.txid))) addEntry(table, prevout, coin)
    }
  }
  return {
    coinAt: (outpoint) => {
      const entry = entryAt(table, outpoint)
      return entry < 0 ? undefined : table.values[entry]
    }
  }
}
