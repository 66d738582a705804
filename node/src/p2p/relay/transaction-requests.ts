import { hashKey } from "../sync/hash-key.ts"
import type { Chance } from "../environment.ts"
import { dueHeap } from "../due-heap.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

/** How an announced transaction is named. */
export interface TransactionName {
  readonly hash: Uint8Array
  /** Whether the hash is the witness id. */
  readonly isWitnessId: boolean
}

/** That a peer has a transaction. */
interface Announcement {
  readonly peer: number
  readonly wanted: Wanted
  readonly isPreferred: boolean
  /** Chance decides among equals. */
  readonly rank: number
  /** Waits for its time; may be asked; is asked; did not help. */
  state: "waiting" | "ready" | "asked" | "done"
  expiry: number
}

/** A transaction that we have not. */
interface Wanted extends TransactionName {
  readonly key: string
  announcements: Array<Announcement>
  asked: Announcement | undefined
}

/** Announcements and requests of one peer. */
interface Tally {
  readonly wanted: Set<Wanted>
  inFlight: number
}

/** What a peer is to be asked for. */
export interface DueRequest {
  readonly peer: number
  readonly names: ReadonlyArray<TransactionName>
}

/** Whom to ask for which transaction, and when. */
export interface TransactionRequests {
  /** A peer named a transaction. `delay`: how much later than others it is asked. Answers whether that is remembered. */
  readonly announced: (peer: number, name: TransactionName, isPreferred: boolean, now: number, delay: number) => boolean
  /** What is to be asked now; each transaction of one peer at a time. */
  readonly due: (now: number) => ReadonlyArray<DueRequest>
  /** A peer sent it, or said that it has it not. */
  readonly answered: (peer: number, hash: Uint8Array) => void
  /** Nobody needs to be asked for it any more. */
  readonly forget: (hash: Uint8Array) => void
  readonly gone: (peer: number) => void
  readonly inFlight: (peer: number) => number
  readonly announcers: (hash: Uint8Array) => ReadonlyArray<number>
  readonly size: () => number
}

/** Entries of the heap that may be out of use before it is tidied. */
const SPARE = 10_000

const isBetter = (a: Announcement, b: Announcement | undefined): boolean => {
  if (b === undefined) return true
  return a.isPreferred === b.isPreferred ? a.rank > b.rank : a.isPreferred
}

export const transactionRequests = (chance: Chance): TransactionRequests => {
  const byKey = new Map<string, Wanted>()
  const tallies = new Map<number, Tally>()
  const heap = dueHeap<Announcement>()
  /** What may have somebody new to ask. */
  const changed = new Set<Wanted>()
  let total = 0

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

  /** Forgets a transaction that nobody is left to be asked for: whoever names it again is heard again. */
  const dropIfHopeless = (wanted: Wanted): void => {
    if (wanted.announcements.every(({ state }) => state === "done")) drop(wanted)
  }

  const isFull = (tally: Tally, isPreferred: boolean): boolean => {
    if (tally.wanted.size >= RELAY_LIMITS.announcements.most) return true
    const isCrowd = !isPreferred && total >= RELAY_LIMITS.announcementsOfAll.most
    return isCrowd && tally.wanted.size >= RELAY_LIMITS.announcementsInCrowd.most
  }

  const announced: TransactionRequests["announced"] = (peer, { hash, isWitnessId }, isPreferred, now, delay) => {
    const tally = tallyOf(peer)
    if (isFull(tally, isPreferred)) return false
    const key = hashKey(hash)
    const wanted = byKey.get(key) ?? { hash: hash.slice(), isWitnessId, key, announcements: [], asked: undefined }
    if (tally.wanted.has(wanted)) return false
    const crowded = tally.inFlight >= RELAY_LIMITS.inFlight.most ? RELAY_LIMITS.crowdedDelay.most : 0
    const announcement: Announcement = { peer, wanted, isPreferred, rank: chance.below(2 ** 32), state: "waiting", expiry: 0 }
    byKey.set(key, wanted)
    wanted.announcements.push(announcement)
    tally.wanted.add(wanted)
    total++
    heap.push(now + delay + crowded, announcement)
    return true
  }

  /** Time has come for what waited; what was asked and did not come is given up. */
  const passTime = (now: number): void => {
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

  const due = (now: number): ReadonlyArray<DueRequest> => {
    passTime(now)
    const byPeer = new Map<number, Array<TransactionName>>()
    for (const wanted of changed) {
      const chosen = wanted.asked === undefined ? choose(wanted) : undefined
      if (chosen === undefined) continue
      chosen.state = "asked"
      chosen.expiry = now + RELAY_LIMITS.requestTime.most
      wanted.asked = chosen
      tallyOf(chosen.peer).inFlight++
      heap.push(chosen.expiry, chosen)
      const names = byPeer.get(chosen.peer) ?? []
      names.push(wanted)
      byPeer.set(chosen.peer, names)
    }
    changed.clear()
    return [...byPeer].map(([peer, names]) => ({ peer, names }))
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
    announcers: (hash) => byKey.get(hashKey(hash))?.announcements.map(({ peer }) => peer) ?? [],
    size: () => total
  }
}
