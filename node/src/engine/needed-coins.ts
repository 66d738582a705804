import { forbidsOverwriting } from "@lockstep/kernel/deployment/repeated-coinbase.ts"
import type { ChainParameters } from "@lockstep/kernel/deployment/parameters.ts"
import type { HeaderNode } from "@lockstep/kernel/header/node.ts"
import type { OutPoint } from "@lockstep/kernel/model/transaction.ts"
import { tableSeed } from "@lockstep/kernel/connect/collect.ts"
import type { BlockUndo } from "@lockstep/kernel/utxo/undo.ts"
import { addEntry, entryAt, outPointTable } from "@lockstep/kernel/utxo/outpoint-table.ts"
import { isUnspendable } from "@lockstep/kernel/utxo/spendable.ts"
import type { CoinCache } from "../coins/coin-cache.ts"
import type { IdentifiedBlock } from "./chain-engine.ts"

const idAt = (ids: Uint8Array, i: number): Uint8Array => ids.subarray(i * 32, i * 32 + 32)

const ALL = (): boolean => true

const pushOutputs = (found: IdentifiedBlock, into: Array<OutPoint>, wanted: CoinCache["mayBeStored"]): void => {
  const { block, identity } = found
  for (const [i, { outputs }] of block.transactions.entries()) {
    const txid = idAt(identity.transactionIds, i)
    if (!wanted(txid)) continue
    for (let vout = 0; vout < outputs.length; vout++) if (!isUnspendable(outputs[vout]!.script)) into.push({ txid, vout })
  }
}

/**
 * The coins that connecting a block may ask `coins` for: those it spends and does not make itself; and, where no coin may
 * be overwritten, those it makes.
 */
export const neededToConnect = (
  found: IdentifiedBlock,
  node: HeaderNode,
  parameters: ChainParameters,
  { mayBeStored }: Pick<CoinCache, "mayBeStored">
): ReadonlyArray<OutPoint> => {
  const { block, identity } = found
  const { hash, transactionIds } = identity
  const own = outPointTable<true>(block.transactions.length, tableSeed(hash))
  for (let i = 0; i < block.transactions.length; i++) {
    const outpoint = { txid: idAt(transactionIds, i), vout: 0 }
    if (entryAt(own, outpoint) < 0) addEntry(own, outpoint, true)
  }
  const needed: Array<OutPoint> = []
  // One for all look-ups, which are many.
  const made = { txid: hash, vout: 0 }
  for (let i = 1; i < block.transactions.length; i++) {
    for (const { prevout } of block.transactions[i]!.inputs) {
      made.txid = prevout.txid
      if (entryAt(own, made) < 0) needed.push(prevout)
    }
  }
  // The blocks that may overwrite coins stand below that height, and their undo data need what was there.
  if (node.height < parameters.heights.bip34 || forbidsOverwriting(node, parameters)) pushOutputs(found, needed, mayBeStored)
  return needed
}

/** The coins that disconnecting a block asks for: those it made, those it spent, those it replaced. */
export const neededToDisconnect = (found: IdentifiedBlock, undo: BlockUndo): ReadonlyArray<OutPoint> => {
  const needed: Array<OutPoint> = []
  pushOutputs(found, needed, ALL)
  for (const { inputs } of found.block.transactions.slice(1)) for (const { prevout } of inputs) needed.push(prevout)
  for (const { outpoint } of undo.replaced) needed.push(outpoint)
  return needed
}
