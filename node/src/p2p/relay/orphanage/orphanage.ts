import { compareBytes } from "@lockstep/kernel/bytes"
import type { TraceEvent } from "../../../runtime/trace.ts"
import type { P2pNotifications } from "../../basics/p2p-notifications.ts"
import type { Random } from "../../basics/environment.ts"
import { hashKey } from "../../basics/hash-key.ts"
import { RELAY_LIMITS } from "../relay-limits.ts"
import { type ScannedTransaction, spendsFrom } from "../scan-transaction.ts"
import {
  addAnnouncer,
  assign,
  eraseOrphan,
  insertOrphan,
  type Orphan,
  type OrphanRecords,
  orphanRecords,
  withdraw
} from "./orphan-records.ts"
import { totalLatency, trimOrphans } from "./trim-orphans.ts"

export type { Orphan }

/**
 * The orphanage (Core: `TxOrphanage`) keeps orphans until their parents arrive. Its announcements and its weight are
 * limited. Beyond the limits, peers that hold more than their share lose their oldest orphans.
 */
export interface Orphanage {
  readonly get: (wtxid: Uint8Array) => Orphan | undefined
  readonly has: (wtxid: Uint8Array) => boolean
  readonly isFrom: (wtxid: Uint8Array, peer: number) => boolean
  /** Adds a peer's announcement of an orphan, and the orphan if it is new. */
  readonly add: (transaction: ScannedTransaction, peer: number) => void
  readonly remove: (wtxid: Uint8Array) => void
  /** Removes the orphans that spend any of these concatenated outpoints, of 36 bytes each. Returns their number. */
  readonly removeSpenders: (outpoints: Uint8Array) => number
  /** Removes the announcements of a disconnected peer. */
  readonly gone: (peer: number) => void
  /**
   * Schedules each orphan that spends an output of this transaction for validation, on the turn of one of its
   * announcers.
   */
  readonly assignChildren: (parent: ScannedTransaction) => void
  /** Schedules an orphan for validation whose parents may have arrived. */
  readonly assignToAny: (wtxid: Uint8Array) => void
  /** Returns the oldest orphan to validate again on the turn of this peer. It stays in the orphanage. */
  readonly nextToTry: (peer: number) => ScannedTransaction | undefined
  /** Returns the peers with orphans to validate again. */
  readonly peersWithWork: () => ReadonlyArray<number>
  /**
   * Returns the children of a transaction that this peer announced: first those to validate on its turn, with the
   * newest first in each group.
   */
  readonly childrenFrom: (parent: Uint8Array, peer: number) => ReadonlyArray<ScannedTransaction>
  /** Returns all orphans, ordered by wtxid in wire order. */
  readonly all: () => ReadonlyArray<Orphan>
  readonly sizes: () => OrphanageSizes
}

export interface OrphanageSizes {
  readonly orphans: number
  readonly announcements: number
  readonly latency: number
  readonly weight: number
}

/** Returns the key of an output of a transaction. */
const outputKey = (txid: Uint8Array, vout: number): string => {
  const outpoint = Buffer.alloc(36)
  outpoint.set(txid)
  outpoint.writeUInt32LE(vout, 32)
  return hashKey(outpoint)
}

const childrenFrom = (
  announced: Iterable<Orphan>,
  parent: Uint8Array,
  peer: number
): ReadonlyArray<ScannedTransaction> => {
  const children = [...announced].reverse().filter(({ transaction }) => spendsFrom(transaction, parent))
  const isAssigned = ({ assigned }: Orphan): boolean => assigned === peer
  return [...children.filter(isAssigned), ...children.filter((each) => !isAssigned(each))]
    .map(({ transaction }) => transaction)
}

const byWtxid = (a: Orphan, b: Orphan): number => compareBytes(a.transaction.wtxid, b.transaction.wtxid)

const idsOf = ({ transaction: { txid, wtxid } }: Orphan) => ({ txid, wtxid })

/** Returns the event of an orphan that was added. */
const stored = (
  { txid, weight, wtxid }: ScannedTransaction,
  { announcements, byOutpoint: { size: outpoints } }: OrphanRecords
): TraceEvent => ({ _tag: "OrphanStored", txid, wtxid, weight, announcements, outpoints })

export const orphanage = (random: Pick<Random, "below">, trace?: P2pNotifications["trace"]): Orphanage => {
  const records = orphanRecords()
  const { byOutpoint, byPeer, byWtxid: orphans } = records

  const get = (wtxid: Uint8Array): Orphan | undefined => orphans.get(hashKey(wtxid))

  const erase = (orphan: Orphan | undefined): void => {
    if (orphan === undefined) return
    const announcements = eraseOrphan(records, orphan)
    trace?.({ _tag: "OrphanRemoved", ...idsOf(orphan), announcements })
  }

  const trim = (): void => {
    const { size } = orphans
    const announcements = trimOrphans(records)
    if (announcements > 0) trace?.({ _tag: "OrphanageOverflow", orphans: size - orphans.size, announcements })
  }

  /** Assigns an orphan to a random announcer, so that no announcer can block it. */
  const assignToAny = (orphan: Orphan): void => {
    if (orphan.assigned !== undefined) return
    const announcers = [...orphan.announcers].toSorted((a, b) => a - b)
    assign(records, orphan, announcers[random.below(announcers.length)])
    trace?.({ _tag: "OrphanAssigned", ...idsOf(orphan), peer: orphan.assigned })
  }

  return {
    get,
    has: (wtxid) => orphans.has(hashKey(wtxid)),
    isFrom: (wtxid, peer) => get(wtxid)?.announcers.has(peer) ?? false,
    add: (transaction, peer) => {
      const { txid, weight, wtxid } = transaction
      if (weight > RELAY_LIMITS.weight.most) return trace?.({ _tag: "OrphanTooLarge", txid, wtxid, weight })
      const known = get(wtxid)
      const orphan = known ?? insertOrphan(records, transaction)
      if (orphan.announcers.has(peer)) return
      addAnnouncer(records, orphan, peer)
      if (known === undefined) trace?.(stored(transaction, records))
      else trace?.({ _tag: "OrphanAnnounced", txid, wtxid, peer })
      trim()
    },
    remove: (wtxid) => erase(get(wtxid)),
    removeSpenders: (outpoints) => {
      const { size } = orphans
      for (let at = 0; orphans.size > 0 && at < outpoints.length; at += 36) {
        for (const orphan of byOutpoint.get(hashKey(outpoints.subarray(at, at + 36))) ?? []) erase(orphan)
      }
      return size - orphans.size
    },
    gone: (peer) => {
      const own = byPeer.get(peer)?.orphans
      if (own === undefined) return
      const { size } = own
      for (const orphan of own) withdraw(records, orphan, peer)
      trace?.({ _tag: "OrphansOfPeerErased", orphans: size, peer })
    },
    assignChildren: ({ outputs, txid }) => {
      for (let vout = 0; orphans.size > 0 && vout < outputs; vout++) {
        for (const orphan of [...byOutpoint.get(outputKey(txid, vout)) ?? []].toSorted(byWtxid)) assignToAny(orphan)
      }
    },
    assignToAny: (wtxid) => {
      const orphan = get(wtxid)
      if (orphan !== undefined) assignToAny(orphan)
    },
    nextToTry: (peer) => {
      const own = byPeer.get(peer)
      if (own === undefined || own.assigned === 0) return undefined
      for (const orphan of own.orphans) {
        if (orphan.assigned !== peer) continue
        assign(records, orphan, undefined)
        return orphan.transaction
      }
      return undefined
    },
    peersWithWork: () => [...byPeer].flatMap(([peer, { assigned }]) => assigned > 0 ? [peer] : []),
    childrenFrom: (parent, peer) => childrenFrom(byPeer.get(peer)?.orphans ?? [], parent, peer),
    all: () => [...orphans.values()].toSorted(byWtxid),
    sizes: () => ({
      orphans: orphans.size,
      announcements: records.announcements,
      latency: totalLatency(records),
      weight: records.weight
    })
  }
}
