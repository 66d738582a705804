import { forbidsOverwriting } from "@lockstep/kernel/deployment"
import type { ChainParameters } from "@lockstep/kernel/parameters"
import type { HeaderNode } from "@lockstep/kernel/chain"
import type { OutPoint } from "@lockstep/kernel/model"
import { tableSeed } from "@lockstep/kernel/connect"
import {
  addEntry,
  type BlockUndo,
  entryAt,
  isUnspendable,
  type OutPointTable,
  outPointTable
} from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import type { CoinCache } from "../../coins/coin-cache.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { IdentifiedBlock } from "../state/identified-block.ts"

const idAt = (ids: Uint8Array, i: number): Uint8Array => ids.subarray(i * 32, i * 32 + 32)

const ALL = (): boolean => true

const pushOutputs = (found: IdentifiedBlock, into: Array<OutPoint>, wanted: CoinCache["mayBeStored"]): void => {
  const { block, identity } = found
  for (const [i, { outputs }] of block.transactions.entries()) {
    const txid = idAt(identity.transactionIds, i)
    if (!wanted(txid)) continue
    for (let vout = 0; vout < outputs.length; vout++) {
      if (!isUnspendable(outputs[vout]!.script)) into.push({ txid, vout })
    }
  }
}

/** The coins that connecting a block may look up. */
export interface BlockPrevouts {
  /** Outpoints that it spends, including its own. */
  readonly spent: ReadonlyArray<OutPoint>
  /** Reports whether the block itself creates a coin. */
  readonly isOwn: (outpoint: OutPoint) => boolean
  /** Outpoints that it creates, at which no coin may be overwritten. */
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

/** Makes the test for own coins. Its table is built on the first call, which is about coins that are not in memory. */
const isOwnOf = (found: IdentifiedBlock): BlockPrevouts["isOwn"] => {
  let own: OutPointTable<true> | undefined
  // One object for all look-ups, which are many.
  const first = { txid: found.identity.hash, vout: 0 }
  return ({ txid }) => {
    own ??= tableOf(found)
    first.txid = txid
    return entryAt(own, first) >= 0
  }
}

/** Collects the outpoints that connecting a block may look up in `coins`. */
export const prevoutsToConnect = (
  found: IdentifiedBlock,
  node: HeaderNode,
  parameters: ChainParameters,
  { mayBeStored }: Pick<CoinCache, "mayBeStored">
): BlockPrevouts => {
  const { transactions } = found.block
  const spent: Array<OutPoint> = []
  for (let i = 1; i < transactions.length; i++) for (const { prevout } of transactions[i]!.inputs) spent.push(prevout)
  const made: Array<OutPoint> = []
  // Blocks that may overwrite coins are below that height, and their undo data contain the overwritten coins.
  if (node.height < parameters.heights.bip34 || forbidsOverwriting(node, parameters)) {
    pushOutputs(found, made, mayBeStored)
  }
  return { spent, isOwn: isOwnOf(found), made }
}

/** Loads the coins that connecting a block may look up. */
export const prefetchToConnect = (
  coins: Pick<CoinCache, "prefetchCoins" | "mayBeStored">,
  found: IdentifiedBlock,
  node: HeaderNode,
  parameters: ChainParameters
): Effect.Effect<void, StorageError> => {
  const { isOwn, made, spent } = prevoutsToConnect(found, node, parameters, coins)
  const loadSpent = coins.prefetchCoins(spent, isOwn)
  return made.length === 0 ? loadSpent : Effect.andThen(loadSpent, coins.prefetchCoins(made))
}

/** Collects the outpoints that disconnecting a block needs: those it created, those it spent, those it overwrote. */
export const prevoutsToDisconnect = (found: IdentifiedBlock, undo: BlockUndo): ReadonlyArray<OutPoint> => {
  const needed: Array<OutPoint> = []
  pushOutputs(found, needed, ALL)
  for (const { inputs } of found.block.transactions.slice(1)) for (const { prevout } of inputs) needed.push(prevout)
  for (const { outpoint } of undo.replaced) needed.push(outpoint)
  return needed
}
