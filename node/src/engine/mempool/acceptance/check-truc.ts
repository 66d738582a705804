import type { Transaction } from "@lockstep/kernel/model"
import { checkTruc, evictableSibling, type PooledParent, TRUC_VERSION } from "@lockstep/kernel/relay"
import { HOLDS, type Verdict, type Violation } from "@lockstep/kernel/verdict"
import type { TxHandle } from "@lockstep/txgraph"
import * as Result from "effect/Result"
import type { TxMempool } from "../../txmempool/contract.ts"
import type { Subject } from "./rig.ts"

const pooledParent = (state: TxMempool, handle: TxHandle, { version }: Transaction): PooledParent => {
  const { txid, wtxid } = state.entry(handle)
  const { graph } = state
  return {
    txid,
    wtxid,
    version,
    ancestors: graph.ancestors([handle]).length,
    // The rules do not limit the relatives of a parent of another version.
    descendants: version !== TRUC_VERSION ? [] : graph.descendants([handle])
      .filter((each) => each !== handle)
      .map((each) => ({ txid: state.txidOf(each), ancestors: graph.ancestors([each]).length }))
  }
}

/** The mempool parents of a transaction as the topology check needs them, in wire order of txids. */
export const pooledParents = (
  state: TxMempool,
  parents: ReadonlyMap<TxHandle, Transaction>
): ReadonlyArray<PooledParent> =>
  [...parents].sort(([a], [b]) => state.compareTxids(a, b)).map(([handle, tx]) => pooledParent(state, handle, tx))

/** Reports whether version 3 matters: in the transaction or in an output that it spends. */
export const isRestricted = (tx: Transaction, parents: ReadonlyMap<TxHandle, Transaction>): boolean =>
  tx.version === TRUC_VERSION || [...parents.values()].some(({ version }) => version === TRUC_VERSION)

/**
 * Checks the topology of a single transaction. Yields the sibling that it has to replace, if it may (TRUC sibling
 * eviction).
 */
export const checkTopology = (
  state: TxMempool,
  { tx, txid, wtxid }: Subject,
  size: number,
  parents: ReadonlyMap<TxHandle, Transaction>,
  conflicts: ReadonlyArray<TxHandle>,
  mayEvictSibling: boolean
): Verdict<TxHandle | undefined, Violation> => {
  if (!isRestricted(tx, parents)) return HOLDS as Verdict<undefined>
  const pooled = pooledParents(state, parents)
  const verdict = checkTruc({ txid, wtxid, version: tx.version }, size, pooled, conflicts.map(state.txidOf))
  if (Result.isSuccess(verdict)) return Result.succeed(undefined)
  const parent = mayEvictSibling && verdict.failure.rule === "POL-094" ? pooled[0] : undefined
  const sibling = parent && evictableSibling(parent)
  return sibling === undefined ? Result.fail(verdict.failure) : Result.succeed(state.ofTxid(sibling)!)
}
