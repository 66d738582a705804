import { RELAY_LIMITS } from "../relay-limits.ts"
import { type Allowance, compareScores, compareShares, type DosScore, dosScore, FAIR } from "./dos-score.ts"
import { type Orphan, type OrphanRecords, withdraw } from "./orphan-records.ts"

const { orphanAnnouncements, orphanWeight } = RELAY_LIMITS

/** Returns the latency score of all orphans. */
export const totalLatency = ({ announcements, inputScores }: OrphanRecords): number => announcements + inputScores

/** True if the orphanage limits are exceeded. */
const isOver = (records: OrphanRecords): boolean =>
  totalLatency(records) > orphanAnnouncements.most ||
  records.weight > orphanWeight.most * Math.max(records.byPeer.size, 1)

/** Returns the next orphan of a peer to evict: the oldest, but those to be validated again come last. */
const nextOf = ({ byPeer }: OrphanRecords, peer: number): Orphan | undefined => {
  const orphans = byPeer.get(peer)?.orphans ?? []
  let first: Orphan | undefined
  for (const orphan of orphans) {
    if (orphan.assigned !== peer) return orphan
    first ??= orphan
  }
  return first
}

/** Returns the peer with the highest score; of equals, the one that connected last. */
const worstOf = (scores: ReadonlyMap<number, DosScore>): number | undefined => {
  let worst: number | undefined
  for (const [peer, score] of scores) {
    if (worst === undefined || (compareScores(score, scores.get(worst)!) || peer - worst) > 0) worst = peer
  }
  return worst
}

const scoreOf = ({ byPeer }: OrphanRecords, peer: number, allowance: Allowance): DosScore | undefined => {
  const own = byPeer.get(peer)
  return own === undefined ? undefined : dosScore(own.latency, own.weight, allowance)
}

const trim = (records: OrphanRecords): void => {
  // Constant for the whole trim, though peers may disappear meanwhile.
  const allowance: Allowance = {
    latency: Math.floor(orphanAnnouncements.most / Math.max(records.byPeer.size, 1)),
    weight: orphanWeight.most
  }
  const scores = new Map<number, DosScore>()
  for (const peer of records.byPeer.keys()) {
    const score = scoreOf(records, peer, allowance)!
    if (compareShares(score, FAIR) > 0) scores.set(peer, score)
  }
  while (isOver(records)) {
    const worst = worstOf(scores)
    if (worst === undefined) return
    scores.delete(worst)
    const runnerUp = worstOf(scores)
    const until = runnerUp === undefined ? FAIR : scores.get(runnerUp)!
    let score: DosScore | undefined
    do {
      withdraw(records, nextOf(records, worst)!, worst)
      score = scoreOf(records, worst, allowance)
    } while (isOver(records) && score !== undefined && compareShares(score, until) > 0)
    if (score !== undefined) scores.set(worst, score)
  }
}

/**
 * Evicts orphans of peers that hold more than their share, worst first, until the limits hold (Core: `LimitOrphans`).
 * Returns the number of announcements removed.
 */
export const trimOrphans = (records: OrphanRecords): number => {
  const before = records.announcements
  if (isOver(records)) trim(records)
  return before - records.announcements
}
