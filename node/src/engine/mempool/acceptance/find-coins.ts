import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import type { Hash } from "@lockstep/kernel/quantities"
import type { Coin } from "@lockstep/kernel/utxo"
import type { TxHandle } from "@lockstep/txgraph"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../../../storage/storage-error.ts"
import { hexOf } from "../../../hex.ts"
import type { MempoolContext } from "../contract.ts"
import type { Subject } from "./rig.ts"

/** Judged members of a package, by hexadecimal txid in wire order. */
export type Earlier = ReadonlyMap<string, Transaction>

export const NO_MEMBERS: Earlier = new Map()

/** The coins of a transaction that are in memory. */
export interface FoundCoins {
  /** One coin for each input, if none is missing. */
  readonly coins: ReadonlyArray<Coin>
  /** Distinct txids of unknown parents, in the order of inputs. */
  readonly missing: ReadonlyArray<Hash>
  /** Entries whose outputs it spends. */
  readonly parents: ReadonlyMap<TxHandle, Transaction>
}

/**
 * Finds the coins that a transaction spends: of earlier members, of the mempool, of the chain. An entry of the mempool
 * hides coins of the chain with its txid.
 */
export const findCoins = (
  { engine: { coins: chain, tree: { tip } }, state }: MempoolContext,
  { inputs }: Transaction,
  earlier: Earlier
): FoundCoins => {
  const coins: Array<Coin> = []
  const missing = new Map<string, Hash>()
  const parents = new Map<TxHandle, Transaction>()

  const parentOf = (handle: TxHandle): Transaction => {
    const known = parents.get(handle) ?? state.transaction(handle)
    parents.set(handle, known)
    return known
  }

  const coinOf = (prevout: OutPoint): Coin | undefined => {
    const member = earlier.size === 0 ? undefined : earlier.get(hexOf(prevout.txid))?.outputs[prevout.vout]
    const handle = member === undefined ? state.ofTxid(prevout.txid) : undefined
    if (member === undefined && handle === undefined) return chain.coinAt(prevout)
    const output = member ?? parentOf(handle!).outputs[prevout.vout]
    return output && { value: output.value, script: output.script, height: tip.height + 1, isCoinbase: false }
  }

  for (const { prevout } of inputs) {
    const coin = coinOf(prevout)
    if (coin === undefined) missing.set(hexOf(prevout.txid), new Uint8Array(prevout.txid))
    else coins.push(coin)
  }
  return { coins, missing: [...missing.values()], parents }
}

const outputsOf = ({ tx, txid }: Subject): ReadonlyArray<OutPoint> =>
  tx.outputs.map((_output, vout) => ({ txid, vout }))

/** Loads the coins of the chain that transactions spend. */
export const prefetchFor = (
  { engine: { coins } }: MempoolContext,
  subjects: ReadonlyArray<Subject>
): Effect.Effect<void, StorageError> =>
  coins.prefetchCoins(subjects.flatMap(({ tx }) => tx.inputs.map(({ prevout }) => prevout)))

/** Reports whether an output of this transaction is among the coins in memory. As in Bitcoin Core, the store is not read. */
export const isConfirmed = ({ engine: { coins } }: MempoolContext, subject: Subject): boolean =>
  outputsOf(subject).some((outpoint) => coins.coinAt(outpoint) !== undefined)
