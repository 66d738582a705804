import type { Milliseconds, Moment, UnixMilliseconds } from "../../quantities.ts"
import { hashKey, keyedHash } from "../basics/hash-key.ts"
import type { Random } from "../basics/environment.ts"
import { dueHeap } from "../basics/due-heap.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

/** The id of an announced transaction. */
export interface GenTxid {
  readonly hash: Uint8Array
  /** True if the hash is the wtxid. */
  readonly isWtxid: boolean
}

/** An announcement of a transaction by a peer. */
interface Announcement {
  readonly peer: number
  readonly wanted: Wanted
  /** True if this peer announced it by its wtxid. Without a witness the txid is the same. */
  readonly isWtxid: boolean
  readonly isPreferred: boolean
  /** Random rank that decides among equals. */
  readonly rank: number
  /** Number of the announcement among those of all peers. */
  readonly order: number
  /** Delayed, ready to be requested, in flight, or completed. */
  state: "waiting" | "ready" | "asked" | "done"
  expiry: Moment
}

/**
 * A transaction that this node lacks. Only the key of its id is kept: half a million announcements may be tracked, and
 * a separate array of 32 bytes takes ten times its length.
 */
interface Wanted {
  readonly key: string
  announcements: Array<Announcement>
  asked: Announcement | undefined
}

/** Announcements and requests of one peer. */
interface Tally {
  readonly wanted: Set<Wanted>
  inFlight: number
}

/** A request to send to a peer. */
export interface DueRequest {
  readonly peer: number
  readonly names: ReadonlyArray<GenTxid>
}

/** Schedules from which peer and when to request each transaction (Core: `TxRequestTracker`). */
export interface TxRequestTracker {
  /**
   * Records an announcement of a peer. `delay` postpones its request. `isExempt` lifts the limit on its announcements.
   * Returns true if the announcement is tracked.
   */
  readonly announced: (
    peer: number,
    name: GenTxid,
    isPreferred: boolean,
    now: UnixMilliseconds,
    delay: Milliseconds,
    isExempt?: boolean
  ) => boolean
  /**
   * Returns the requests to send now: each transaction from one peer at a time, in the order in which that peer
   * announced them.
   */
  readonly due: (now: UnixMilliseconds) => ReadonlyArray<DueRequest>
  /** Records that a peer sent the transaction, or answered that it does not have it. */
  readonly answered: (peer: number, hash: Uint8Array) => void
  /** Stops requesting a transaction. */
  readonly forget: (hash: Uint8Array) => void
  readonly gone: (peer: number) => void
  readonly inFlight: (peer: number) => number
  /** Returns the number of tracked announcements of a peer. */
  readonly count: (peer: number) => number
  /** Returns the peers from which it is being requested or can still be requested. */
  readonly announcers: (hash: Uint8Array) => ReadonlyArray<number>
  readonly size: () => number
}

/** Number of stale heap entries that are allowed before they are removed. */
const SPARE = 10_000

const isBetter = (a: Announcement, b: Announcement | undefined): boolean => {
  if (b === undefined) return true
  return a.isPreferred === b.isPreferred ? a.rank > b.rank : a.isPreferred
}

const nameOf = ({ isWtxid, wanted: { key } }: Announcement): GenTxid => ({ hash: keyedHash(key), isWtxid })

export const txRequestTracker = (random: Random): TxRequestTracker => {
  const byKey = new Map<string, Wanted>()
  const tallies = new Map<number, Tally>()
  const heap = dueHeap<Announcement>()
  /** Transactions that may have a new peer to request them from. */
  const changed = new Set<Wanted>()
  let total = 0
  let counted = 0

  const tallyOf = (peer: number): Tally => {
    const tally = tallies.get(peer) ?? { wanted: new Set(), inFlight: 0 }
    tallies.set(peer, tally)
    return tally
  }

  const settle = (announcement: Announcement): void => {
    const { wanted } = announcement
    if (wanted.asked === announcement) {
      wanted.asked = undefined
      tallyOf(announcement.peer).inFlight--
      changed.add(wanted)
    }
    announcement.state = "done"
  }

  const drop = (wanted: Wanted): void => {
    for (const announcement of wanted.announcements) {
      settle(announcement)
      tallies.get(announcement.peer)?.wanted.delete(wanted)
    }
    total -= wanted.announcements.length
    wanted.announcements = []
    byKey.delete(wanted.key)
    changed.delete(wanted)
  }

  /** Forgets a transaction whose announcements are all completed. A later announcement counts again. */
  const dropIfHopeless = (wanted: Wanted): void => {
    if (wanted.announcements.every(({ state }) => state === "done")) drop(wanted)
  }

  const isFull = (tally: Tally, isPreferred: boolean): boolean => {
    if (tally.wanted.size >= RELAY_LIMITS.announcements.most) return true
    const isCrowd = !isPreferred && total >= RELAY_LIMITS.announcementsOfAll.most
    return isCrowd && tally.wanted.size >= RELAY_LIMITS.announcementsInCrowd.most
  }

  const announced: TxRequestTracker["announced"] = (
    peer,
    { hash, isWtxid },
    isPreferred,
    now,
    delay,
    isExempt = false
  ) => {
    const tally = tallyOf(peer)
    if (!isExempt && isFull(tally, isPreferred)) return false
    const key = hashKey(hash)
    const known = byKey.get(key)
    if (known !== undefined && tally.wanted.has(known)) return false
    const wanted: Wanted = known ?? { key, announcements: [], asked: undefined }
    const isOverloaded = !isExempt && tally.inFlight >= RELAY_LIMITS.inFlight.most
    const crowded = isOverloaded ? RELAY_LIMITS.crowdedDelay.most : 0
    const announcement: Announcement = {
      peer,
      wanted,
      isWtxid,
      isPreferred,
      rank: random.below(2 ** 32),
      order: counted++,
      state: "waiting",
      expiry: 0
    }
    byKey.set(key, wanted)
    // Most have one announcement, and an array that grows from empty reserves seventeen elements.
    if (known === undefined) wanted.announcements = [announcement]
    else known.announcements.push(announcement)
    tally.wanted.add(wanted)
    total++
    heap.push(now + delay + crowded, announcement)
    return true
  }

  /** Ends delays that are over, and gives up requests that timed out. */
  const passTime = (now: UnixMilliseconds): void => {
    // Answered requests stay in the heap until their time, and must not accumulate.
    if (heap.size() > 2 * total + SPARE) heap.keep(({ state }) => state !== "done")
    for (let next = heap.popDue(now); next !== undefined; next = heap.popDue(now)) {
      if (next.state === "waiting") {
        next.state = "ready"
        changed.add(next.wanted)
      } else if (next.state === "asked" && next.expiry <= now) {
        settle(next)
        dropIfHopeless(next.wanted)
      }
    }
  }

  const choose = ({ announcements }: Wanted): Announcement | undefined => {
    let best: Announcement | undefined
    for (const each of announcements) if (each.state === "ready" && isBetter(each, best)) best = each
    return best
  }

  const ask = (chosen: Announcement, now: UnixMilliseconds): void => {
    chosen.state = "asked"
    chosen.expiry = now + RELAY_LIMITS.requestTime.most
    chosen.wanted.asked = chosen
    tallyOf(chosen.peer).inFlight++
    heap.push(chosen.expiry, chosen)
  }

  const due = (now: UnixMilliseconds): ReadonlyArray<DueRequest> => {
    passTime(now)
    const byPeer = new Map<number, Array<Announcement>>()
    for (const wanted of changed) {
      const chosen = wanted.asked === undefined ? choose(wanted) : undefined
      if (chosen === undefined) continue
      ask(chosen, now)
      const own = byPeer.get(chosen.peer) ?? []
      own.push(chosen)
      byPeer.set(chosen.peer, own)
    }
    changed.clear()
    return Array.from(byPeer, ([peer, own]) => ({
      peer,
      names: own.sort((a, b) => a.order - b.order).map(nameOf)
    }))
  }

  return {
    announced,
    due,
    answered: (peer, hash) => {
      const wanted = byKey.get(hashKey(hash))
      const own = wanted?.announcements.find((each) => each.peer === peer)
      if (wanted === undefined || own === undefined) return
      settle(own)
      dropIfHopeless(wanted)
    },
    forget: (hash) => {
      const wanted = byKey.get(hashKey(hash))
      if (wanted !== undefined) drop(wanted)
    },
    gone: (peer) => {
      for (const wanted of tallies.get(peer)?.wanted ?? []) {
        for (const each of wanted.announcements) if (each.peer === peer) settle(each)
        const before = wanted.announcements.length
        wanted.announcements = wanted.announcements.filter((each) => each.peer !== peer)
        total -= before - wanted.announcements.length
        dropIfHopeless(wanted)
      }
      tallies.delete(peer)
    },
    inFlight: (peer) => tallies.get(peer)?.inFlight ?? 0,
    count: (peer) => tallies.get(peer)?.wanted.size ?? 0,
    announcers: (hash) =>
      byKey.get(hashKey(hash))?.announcements.flatMap(({ peer, state }) => state === "done" ? [] : [peer]) ?? [],
    size: () => total
  }
}
