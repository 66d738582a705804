import type { Transaction } from "@lockstep/kernel/model/transaction.ts"
import type { OutPoint } from "@lockstep/kernel/model/transaction.ts"
import type { PoolTransaction } from "../calls/network-calls.ts"

/** A transaction of the pool. */
export interface PoolEntry extends PoolTransaction {
  readonly tx: Transaction
}

/** Transactions by id and by what they spend. */
export interface PoolEntries {
  readonly byTxid: ReadonlyMap<string, PoolEntry>
  readonly hasWtxid: (wtxid: Uint8Array) => boolean
  readonly ofTxid: (txid: Uint8Array) => PoolEntry | undefined
  readonly spenderOf: (outpoint: OutPoint) => PoolEntry | undefined
  readonly add: (entry: PoolEntry) => void
  readonly remove: (entry: PoolEntry) => void
  /** An entry and all that spend of it, parents first. */
  readonly withDescendants: (entry: PoolEntry) => ReadonlyArray<PoolEntry>
  readonly bytes: () => number
}

/** An id as a key: hex of the wire order. */
export const idKey = (id: Uint8Array): string => Buffer.from(id.buffer, id.byteOffset, id.length).toString("hex")

const outpointKey = ({ txid, vout }: OutPoint): string => `${idKey(txid)}:${vout}`

/** About what an entry takes, here and where a copy of the pool is kept. */
const memoryOf = ({ bytes, tx }: PoolEntry): number => 2 * bytes.length + 2_000 + 600 * tx.inputs.length + 300 * tx.outputs.length

export const poolEntries = (): PoolEntries => {
  const byTxid = new Map<string, PoolEntry>()
  const wtxids = new Set<string>()
  const spenders = new Map<string, PoolEntry>()
  let bytes = 0

  const childrenOf = ({ tx, txid }: PoolEntry): ReadonlyArray<PoolEntry> =>
    tx.outputs.flatMap((_output, vout) => spenders.get(outpointKey({ txid, vout })) ?? [])

  return {
    byTxid,
    hasWtxid: (wtxid) => wtxids.has(idKey(wtxid)),
    ofTxid: (txid) => byTxid.get(idKey(txid)),
    spenderOf: (outpoint) => spenders.get(outpointKey(outpoint)),
    add: (entry) => {
      byTxid.set(idKey(entry.txid), entry)
      wtxids.add(idKey(entry.wtxid))
      for (const { prevout } of entry.tx.inputs) spenders.set(outpointKey(prevout), entry)
      bytes += memoryOf(entry)
    },
    remove: (entry) => {
      if (!byTxid.delete(idKey(entry.txid))) return
      wtxids.delete(idKey(entry.wtxid))
      for (const { prevout } of entry.tx.inputs) spenders.delete(outpointKey(prevout))
      bytes -= memoryOf(entry)
    },
    withDescendants: (entry) => {
      const found = new Set([entry])
      // Grows while it is walked.
      for (const each of found) for (const child of childrenOf(each)) found.add(child)
      return [...found]
    },
    bytes: () => bytes
  }
}
