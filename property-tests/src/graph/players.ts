import { type NewTransaction, type TxGraph, txGraph, type TxHandle } from "@lockstep/txgraph"
import type { NaiveGraph, NaiveLimits } from "../oracles/tx-graph.ts"
import { withEntry } from "../oracles/tx-graph.ts"

/** The graph and the naive one, side by side. Keys count transactions; a key's rank is the raw order of its txid. */
export interface Players {
  readonly graph: TxGraph
  readonly limits: NaiveLimits
  naive: NaiveGraph
  readonly handleOf: Map<number, TxHandle>
  readonly keyOf: Map<TxHandle, number>
  keys: number
}

/** Ranks that look like chance and never repeat: an odd factor permutes the numbers of 32 bits. */
export const rankOf = (key: number): number => Math.imul(key + 1, 0x9e3779b1) >>> 0

export const players = (limits: NaiveLimits): Players => {
  const keyOf = new Map<TxHandle, number>()
  const rank = (tx: TxHandle): number => {
    const key = keyOf.get(tx)
    if (key === undefined) throw new Error(`the txid of ${tx} is asked for, which is not in the graph`)
    return rankOf(key)
  }
  return {
    graph: txGraph({ limits, compareIds: (a, b) => rank(a) - rank(b) }),
    limits,
    naive: new Map(),
    handleOf: new Map(),
    keyOf,
    keys: 0
  }
}

/** A transaction to be added: parents by key, those of the same changes too. */
export interface Addition {
  readonly fee: number
  readonly size: number
  readonly parents: ReadonlyArray<number>
}

/** Additions as the graph takes them; the first of them gets key `first`. */
export const additionsFor = (
  { handleOf }: Players,
  additions: ReadonlyArray<Addition>,
  first: number
): ReadonlyArray<NewTransaction> =>
  additions.map(({ fee, parents, size }) => ({
    fee,
    size,
    parents: parents.filter((key) => key < first).map((key) => handleOf.get(key)!),
    newParents: parents.filter((key) => key >= first).map((key) => key - first)
  }))

/** The naive graph with additions. */
export const naiveWith = (
  graph: NaiveGraph,
  additions: ReadonlyArray<Addition>,
  first: number
): NaiveGraph =>
  additions.reduce(
    (grown, { fee, parents, size }, i) =>
      withEntry(grown, { key: first + i, rank: rankOf(first + i), fee, size }, parents),
    graph
  )

/** Notes which handles the additions got. */
export const noteAdded = (at: Players, handles: ReadonlyArray<TxHandle>): void => {
  for (const handle of handles) {
    at.handleOf.set(at.keys, handle)
    at.keyOf.set(handle, at.keys)
    at.keys++
  }
}

/** Forgets transactions. */
export const noteRemoved = (at: Players, keys: Iterable<number>): void => {
  for (const key of keys) {
    at.keyOf.delete(at.handleOf.get(key)!)
    at.handleOf.delete(key)
  }
}

export const handles = ({ handleOf }: Players, keys: Iterable<number>): ReadonlyArray<TxHandle> =>
  [...keys].map((key) => handleOf.get(key)!)

export const keysOf = ({ keyOf }: Players, txs: Iterable<TxHandle>): ReadonlyArray<number> =>
  [...txs].map((tx) => keyOf.get(tx)!)
