import { hashKey } from "../../basics/hash-key.ts"
import { type ScannedTransaction, spentOutpoints } from "../scan-transaction.ts"

/** An orphan: a transaction whose parents are missing. */
export interface Orphan {
  readonly transaction: ScannedTransaction
  /** Peers that sent or announced it. */
  readonly announcers: Set<number>
  /** The announcer on whose turn it is validated again; `undefined` while no parent has arrived. */
  assigned: number | undefined
}

/** The orphans that one peer announced, and its usage of the orphanage (Core: `UsageByPeer`). */
export interface PeerOrphans {
  /** Ordered from the oldest announcement. */
  readonly orphans: Set<Orphan>
  latency: number
  weight: number
  /** Number of orphans assigned to it. */
  assigned: number
}

/** Orphans by wtxid, by announcer and by the outpoints they spend, with the sums that are limited. */
export interface OrphanRecords {
  readonly byWtxid: Map<string, Orphan>
  readonly byPeer: Map<number, PeerOrphans>
  /** Nearly always one orphan for each outpoint: sets would take three times the memory. */
  readonly byOutpoint: Map<string, ReadonlyArray<Orphan>>
  announcements: number
  /** Sum over unique orphans: one for every ten inputs. */
  inputScores: number
  /** Sum over unique orphans. */
  weight: number
}

export const orphanRecords = (): OrphanRecords => ({
  byWtxid: new Map(),
  byPeer: new Map(),
  byOutpoint: new Map(),
  announcements: 0,
  inputScores: 0,
  weight: 0
})

const inputScore = ({ inputs }: ScannedTransaction): number => Math.floor(inputs / 10)

const link = ({ byOutpoint }: OrphanRecords, orphan: Orphan): void => {
  for (const outpoint of spentOutpoints(orphan.transaction)) {
    const key = hashKey(outpoint)
    const spenders = byOutpoint.get(key)
    // An orphan that spends an output twice is invalid, but orphans are not validated yet.
    if (spenders?.includes(orphan) === true) continue
    byOutpoint.set(key, spenders === undefined ? [orphan] : [...spenders, orphan])
  }
}

const unlink = ({ byOutpoint }: OrphanRecords, orphan: Orphan): void => {
  for (const outpoint of spentOutpoints(orphan.transaction)) {
    const key = hashKey(outpoint)
    const spenders = byOutpoint.get(key)?.filter((each) => each !== orphan)
    if (spenders === undefined) continue
    if (spenders.length === 0) byOutpoint.delete(key)
    else byOutpoint.set(key, spenders)
  }
}

/** Adds an orphan that has no announcer yet. */
export const insertOrphan = (records: OrphanRecords, transaction: ScannedTransaction): Orphan => {
  const orphan: Orphan = { transaction, announcers: new Set(), assigned: undefined }
  records.byWtxid.set(hashKey(transaction.wtxid), orphan)
  records.inputScores += inputScore(transaction)
  records.weight += transaction.weight
  link(records, orphan)
  return orphan
}

/** Adds an announcement. Precondition: this peer has not announced it. */
export const addAnnouncer = (records: OrphanRecords, orphan: Orphan, peer: number): void => {
  const { transaction } = orphan
  const own = records.byPeer.get(peer) ?? { orphans: new Set(), latency: 0, weight: 0, assigned: 0 }
  records.byPeer.set(peer, own)
  orphan.announcers.add(peer)
  own.orphans.add(orphan)
  own.latency += 1 + inputScore(transaction)
  own.weight += transaction.weight
  records.announcements++
}

/** Assigns an orphan to the announcer on whose turn it is validated again. Precondition: the peer is an announcer. */
export const assign = ({ byPeer }: OrphanRecords, orphan: Orphan, peer: number | undefined): void => {
  if (orphan.assigned !== undefined) byPeer.get(orphan.assigned)!.assigned--
  orphan.assigned = peer
  if (peer !== undefined) byPeer.get(peer)!.assigned++
}

/** Removes an announcement, and the orphan with its last one. Precondition: the peer is an announcer. */
export const withdraw = (records: OrphanRecords, orphan: Orphan, peer: number): void => {
  const { transaction } = orphan
  const own = records.byPeer.get(peer)!
  if (orphan.assigned === peer) assign(records, orphan, undefined)
  orphan.announcers.delete(peer)
  own.orphans.delete(orphan)
  own.latency -= 1 + inputScore(transaction)
  own.weight -= transaction.weight
  records.announcements--
  if (own.orphans.size === 0) records.byPeer.delete(peer)
  if (orphan.announcers.size > 0) return
  records.byWtxid.delete(hashKey(transaction.wtxid))
  records.inputScores -= inputScore(transaction)
  records.weight -= transaction.weight
  unlink(records, orphan)
}

/** Removes an orphan with all its announcements. Returns their number. */
export const eraseOrphan = (records: OrphanRecords, orphan: Orphan): number => {
  const { size } = orphan.announcers
  for (const peer of orphan.announcers) withdraw(records, orphan, peer)
  return size
}
