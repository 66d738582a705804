import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import type { MempoolTransaction } from "../api/network-calls.ts"

/** A transaction of the mempool. */
export interface MempoolEntry extends MempoolTransaction {
  readonly tx: Transaction
}

/** Transactions by id and by what they spend. */
export interface MempoolEntries {
  readonly byTxid: ReadonlyMap<string, MempoolEntry>
  readonly hasWtxid: (wtxid: Uint8Array) => boolean
  readonly ofTxid: (txid: Uint8Array) => MempoolEntry | undefined
  readonly spenderOf: (outpoint: OutPoint) => MempoolEntry | undefined
  readonly add: (entry: MempoolEntry) => void
  readonly remove: (entry: MempoolEntry) => void
  /** An entry and all that spend of it, parents first. */
  readonly withDescendants: (entry: MempoolEntry) => ReadonlyArray<MempoolEntry>
  readonly bytes: () => number
}

/** An id as a key: hex of the wire order. */
export const idKey = (id: Uint8Array): string => Buffer.from(id.buffer, id.byteOffset, id.length).toString("hex")

const outpointKey = ({ txid, vout }: OutPoint): string => `${idKey(txid)}:${vout}`

/** About the memory an entry takes, here and in a replica of the mempool. */
const memoryOf = ({ bytes, tx }: MempoolEntry): number =>
  2 * bytes.length + 2_000 + 600 * tx.inputs.length + 300 * tx.outputs.length

export const mempoolEntries = (): MempoolEntries => {
  const byTxid = new Map<string, MempoolEntry>()
  const wtxids = new Set<string>()
  const spenders = new Map<string, MempoolEntry>()
  let bytes = 0

  const childrenOf = ({ tx, txid }: MempoolEntry): ReadonlyArray<MempoolEntry> =>
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
