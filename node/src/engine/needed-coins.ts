import { forbidsOverwriting } from "@lockstep/kernel/deployment/repeated-coinbase.ts"
import type { ChainParameters } from "@lockstep/kernel/deployment/parameters.ts"
import type { HeaderNode } from "@lockstep/kernel/header/node.ts"
import type { OutPoint } from "@lockstep/kernel/model/transaction.ts"
import { tableSeed } from "@lockstep/kernel/connect/collect.ts"
import type { BlockUndo } from "@lockstep/kernel/utxo/undo.ts"
import { addEntry, entryAt, type OutPointTable, outPointTable } from "@lockstep/kernel/utxo/outpoint-table.ts"
import { isUnspendable } from "@lockstep/kernel/utxo/spendable.ts"
import * as Effect from "effect/Effect"
import type { CoinCache } from "../coins/coin-cache.ts"
import type { StorageError } from "../storage/storage-error.ts"
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

/** The coins that connecting a block may ask for. */
export interface NeededCoins {
  /** Those it spends, its own among them. */
  readonly spent: ReadonlyArray<OutPoint>
  /** Whether a coin is one of its own. */
  readonly isOwn: (outpoint: OutPoint) => boolean
  /** Those it makes, where no coin may be overwritten. */
  readonly made: ReadonlyArray<OutPoint>
}

const tableOf = ({ block, identity: { hash, transactionIds } }: IdentifiedBlock): OutPointTable<true> => {
  const table = outPointTable<true>(block.transactions.length, tableSeed(hash))
  for (let i = 0; i < block.transactions.length; i++) {
    const outpoint = { txid: idAt(transactionIds, i), vout: 0 }
    if (entryAt(table, outpoint) < 0) addEntry(table, outpoint, true)
  }
  return table
}

/** The table is made when somebody asks, which is about coins that are in no memory. */
const isOwnOf = (found: IdentifiedBlock): NeededCoins["isOwn"] => {
  let own: OutPointTable<true> | undefined
  // One for all look-ups, which are many.
  const first = { txid: found.identity.hash, vout: 0 }
  return ({ txid }) => {
    own ??= tableOf(found)
    first.txid = txid
    return entryAt(own, first) >= 0
  }
}

/** The coins that connecting a block may ask `coins` for. */
export const neededToConnect = (
  found: IdentifiedBlock,
  node: HeaderNode,
  parameters: ChainParameters,
  { mayBeStored }: Pick<CoinCache, "mayBeStored">
): NeededCoins => {
  const { transactions } = found.block
  const spent: Array<OutPoint> = []
  for (let i = 1; i < transactions.length; i++) for (const { prevout } of transactions[i]!.inputs) spent.push(prevout)
  const made: Array<OutPoint> = []
  // The blocks that may overwrite coins stand below that height, and their undo data need what was there.
  if (node.height < parameters.heights.bip34 || forbidsOverwriting(node, parameters)) pushOutputs(found, made, mayBeStored)
  return { spent, isOwn: isOwnOf(found), made }
}

/** Brings into memory what connecting a block may ask for. */
export const gatherToConnect = (
  coins: Pick<CoinCache, "gather" | "mayBeStored">,
  found: IdentifiedBlock,
  node: HeaderNode,
  parameters: ChainParameters
): Effect.Effect<void, StorageError> => {
  const { isOwn, made, spent } = neededToConnect(found, node, parameters, coins)
  const gatherSpent = coins.gather(spent, isOwn)
  return made.length === 0 ? gatherSpent : Effect.andThen(gatherSpent, coins.gather(made))
}

/** The coins that disconnecting a block asks for: those it made, those it spent, those it replaced. */
export const neededToDisconnect = (found: IdentifiedBlock, undo: BlockUndo): ReadonlyArray<OutPoint> => {
  const needed: Array<OutPoint> = []
  pushOutputs(found, needed, ALL)
  for (const { inputs } of found.block.transactions.slice(1)) for (const { prevout } of inputs) needed.push(prevout)
  for (const { outpoint } of undo.replaced) needed.push(outpoint)
  return needed
}
