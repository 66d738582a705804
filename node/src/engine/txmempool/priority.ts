import { modifiedFee } from "@lockstep/kernel/relay"
import type { Sats } from "@lockstep/kernel/quantities"
import { bytesOfDigits, hexOf } from "../../hex.ts"
import type { Prioritised } from "./contract.ts"
import { graphFee } from "./entry-columns.ts"
import { findId } from "./id-index.ts"
import type { MempoolState } from "./state.ts"

/** Returns the fee delta of a transaction. */
export const deltaOf = ({ deltas }: MempoolState, txid: Uint8Array): Sats =>
  deltas.size === 0 ? 0n : deltas.get(hexOf(txid)) ?? 0n

/** Adds to the fee by which a transaction is ordered. A sum of zero leaves no record. */
export const prioritise = (state: MempoolState, txid: Uint8Array, delta: Sats): void => {
  const { byTxid, columns, deltas, graph } = state
  const key = hexOf(txid)
  const sum = modifiedFee(deltas.get(key) ?? 0n, delta)
  if (sum === 0n) deltas.delete(key)
  else deltas.set(key, sum)
  const tx = findId(byTxid, txid)
  if (tx === undefined) return
  columns.modifiedFee[tx] = modifiedFee(columns.modifiedFee[tx]!, delta)
  graph.setFee(tx, graphFee(columns.modifiedFee[tx]!))
  state.updates++
}

/** Returns all fee deltas, in wire order of txids. */
export const prioritised = ({ byTxid, columns, deltas }: MempoolState): ReadonlyArray<Prioritised> =>
  [...deltas.keys()].sort().map((key) => {
    const txid = new Uint8Array(bytesOfDigits(key)!)
    const tx = findId(byTxid, txid)
    return { txid, delta: deltas.get(key)!, modifiedFee: tx === undefined ? undefined : columns.modifiedFee[tx]! }
  })
