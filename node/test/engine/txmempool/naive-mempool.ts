import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import { hexOf } from "../../../src/hex.ts"
import { nameOf } from "./mempools.ts"

/** An entry of the naive mempool, with nothing that could be recomputed. */
export interface NaiveEntry {
  readonly tx: Transaction
  readonly fee: bigint
  readonly virtualSize: number
  readonly time: number
  readonly sequence: number
  modified: bigint
}

/** A mempool that recomputes everything from its transactions: entries by hexadecimal txid. */
export interface NaiveMempool {
  readonly entries: Map<string, NaiveEntry>
  readonly deltas: Map<string, bigint>
  readonly unbroadcast: Set<string>
  /** Dependencies that the graph does not know yet: parent and child. */
  readonly unconnected: Set<string>
  sequence: number
  updates: number
  capacity: number
}

export const naiveMempool = (): NaiveMempool => ({
  entries: new Map(),
  deltas: new Map(),
  unbroadcast: new Set(),
  unconnected: new Set(),
  sequence: 1,
  updates: 0,
  capacity: 0
})

const spent = new WeakMap<Transaction, ReadonlyArray<string>>()

/** Names of the outputs that a transaction spends. */
export const spentBy = (tx: Transaction): ReadonlyArray<string> => {
  const known = spent.get(tx)
  if (known !== undefined) return known
  const names = tx.inputs.map(({ prevout }) => outputName(prevout))
  spent.set(tx, names)
  return names
}

export const outputName = ({ txid, vout }: OutPoint): string => `${hexOf(txid)}:${vout}`

const sorted = (names: Iterable<string>): ReadonlyArray<string> => [...new Set(names)].sort()

export const parentsOf = ({ entries }: NaiveMempool, name: string): ReadonlyArray<string> =>
  sorted(spentBy(entries.get(name)!.tx).map((output) => output.slice(0, 64)).filter((each) => entries.has(each)))

export const childrenOf = ({ entries }: NaiveMempool, name: string): ReadonlyArray<string> =>
  sorted([...entries].filter(([, { tx }]) => spentBy(tx).some((output) => output.startsWith(name))).map(([own]) => own))

const closure = (names: Iterable<string>, step: (name: string) => ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = new Set(names)
  // Grows while it is walked.
  for (const name of found) for (const next of step(name)) found.add(next)
  return sorted(found)
}

/** Entries with all that they stand on, or that stands on them, as far as the graph knows. */
export const ancestorsOf = (naive: NaiveMempool, names: Iterable<string>): ReadonlyArray<string> =>
  closure(names, (name) => parentsOf(naive, name).filter((each) => !naive.unconnected.has(`${each} ${name}`)))

export const descendantsOf = (naive: NaiveMempool, names: Iterable<string>): ReadonlyArray<string> =>
  closure(names, (name) => childrenOf(naive, name).filter((each) => !naive.unconnected.has(`${name} ${each}`)))

/** Names of the transactions of each cluster. */
export const clustersOf = (naive: NaiveMempool): ReadonlyArray<ReadonlyArray<string>> => {
  const left = new Set(naive.entries.keys())
  const clusters: Array<ReadonlyArray<string>> = []
  for (const name of naive.entries.keys()) {
    if (!left.has(name)) continue
    const cluster = closure([name], (each) => [...parentsOf(naive, each), ...childrenOf(naive, each)])
    for (const each of cluster) left.delete(each)
    clusters.push(cluster)
  }
  return clusters
}

export const addNaive = (naive: NaiveMempool, entry: NaiveEntry): void => {
  if (naive.entries.size === naive.capacity) naive.capacity = naive.capacity === 0 ? 1 : naive.capacity * 2
  naive.entries.set(nameOf(entry.tx), entry)
  naive.updates++
}

export const removeNaive = (naive: NaiveMempool, name: string): void => {
  if (!naive.entries.delete(name)) throw new Error(`${name} is no entry`)
  naive.unbroadcast.delete(name)
  const size = naive.entries.size
  if (size > 0 && size * 2 < naive.capacity) naive.capacity = size
  naive.sequence++
  naive.updates++
}

const block = (size: number): number => size === 0 ? 0 : ((size + 31) >> 4) << 4
const sum = (numbers: Iterable<number>): number => [...numbers].reduce((a, b) => a + b, 0)

/** Bytes of memory by Bitcoin Core's count, from the transactions and the number of chunks. */
export const recount = (naive: NaiveMempool, chunks: number): number => {
  const transactions = [...naive.entries.values()].map(({ tx }) => tx)
  const own = transactions.map(({ inputs, outputs }) => {
    const scripts = [...inputs, ...outputs].map(({ script }) => script.length).filter((length) => length > 36)
    const witnesses = inputs.map(({ witness }) =>
      block(24 * witness.length) + sum(witness.map((item) => block(item.length)))
    )
    return 192 + block(112 * inputs.length) + block(48 * outputs.length) + sum(scripts.map(block)) + sum(witnesses)
  })
  const clusters = clustersOf(naive).map(({ length }) =>
    length === 1 ? 72 : 2 * block(4 * length) + block(32 * length) + 136
  )
  return 224 * transactions.length + 64 * sum(transactions.map(({ inputs }) => inputs.length)) +
    96 * naive.deltas.size +
    block(40 * naive.capacity) + 80 * transactions.length + 64 * chunks + sum(clusters) + sum(own)
}
