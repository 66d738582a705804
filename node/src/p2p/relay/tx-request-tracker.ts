import type { Milliseconds, Moment, UnixMilliseconds } from "../../quantities.ts"
import { hashKey, keyedHash } from "../basics/hash-key.ts"
import type { Random } from "../basics/environment.ts"
import { dueHeap } from "../basics/due-heap.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

/** The id of an announced transaction. */
export interface GenTxid {
  readonly hash: Uint8Array
  /** Whether the hash is the wtxid. */
  readonly isWtxid: boolean
}

/** An announcement: a peer has a transaction. */
interface Announcement {
  readonly peer: number
  readonly wanted: Wanted
  /** Whether this peer named it by its wtxid: of a transaction without witness the txid is the same. */
  readonly isWtxid: boolean
  readonly isPreferred: boolean
  /** A random rank decides among equals. */
  readonly rank: number
  /** Counts announcements of all peers. */
  readonly order: number
  /** Waits for its time; may be requested; is in flight; done. */
  state: "waiting" | "ready" | "asked" | "done"
  expiry: Moment
}

/**
 * A transaction that this node does not have. Its id is kept as the key alone: half a million announcements may be
 * remembered, and an array of 32 bytes takes ten times its bytes.
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

/** Which peer to request each transaction from, and when (Core: `TxRequestTracker`). */
export interface TxRequestTracker {
  /**
   * A peer announced a transaction. `delay`: how much later than others it is asked. `isExempt`: however much it
   * announces. Answers whether that is remembered.
   */
  readonly announced: (
    peer: number,
    name: GenTxid,
    isPreferred: boolean,
    now: UnixMilliseconds,
    delay: Milliseconds,
    isExempt?: boolean
  ) => boolean
  /** Requests to send now; each transaction from one peer at a time, in the order in which this one announced them. */
  readonly due: (now: UnixMilliseconds) => ReadonlyArray<DueRequest>
  /** A peer sent it, or answered that it does not have it. */
  readonly answered: (peer: number, hash: Uint8Array) => void
  /** No peer needs to be asked for it any more. */
  readonly forget: (hash: Uint8Array) => void
  readonly gone: (peer: number) => void
  readonly inFlight: (peer: number) => number
  /** Announcements of a peer that are remembered. */
  readonly count: (peer: number) => number
  /** The peers that it can still be requested from, or was and is awaited from. */
  readonly announcers: (hash: Uint8Array) => ReadonlyArray<number>
  readonly size: () => number
}

/** Entries of the heap that may be out of use before it is tidied. */
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
  /** Transactions that may have another peer to request them from. */
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

  /** Forgets a transaction that no announcer is left for; a later announcement of it counts again. */
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
    // Most have one: a list that grows from nothing would have room for seventeen at once.
    if (known === undefined) wanted.announcements = [announcement]
    else known.announcements.push(announcement)
    tally.wanted.add(wanted)
    total++
    heap.push(now + delay + crowded, announcement)
    return true
  }

  /** Delays that have ended make candidates; requests that have timed out are given up. */
  const passTime = (now: UnixMilliseconds): void => {
    // Answered requests stay in the heap until their time; many of them must not pile up.
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
