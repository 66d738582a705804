import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Transaction } from "@lockstep/kernel/model"
import type { UnixMilliseconds } from "../../quantities.ts"
import { hashKey } from "../basics/hash-key.ts"
import { PRIVATE_BROADCAST_LIMITS } from "./private-broadcast-limits.ts"

/** A transaction to be broadcast privately. */
export interface PrivateTransaction {
  readonly transaction: Transaction
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
}

/** A peer that a transaction was picked for. */
export interface PrivateSend {
  readonly peer: number
  /** Its address and port. */
  readonly address: string
  readonly sentAt: UnixMilliseconds
  /** Time at which it answered the ping behind the transaction; `undefined` until then. */
  confirmedAt: UnixMilliseconds | undefined
}

/** A transaction in the queue, with its sends. */
export interface QueuedTransaction extends PrivateTransaction {
  readonly addedAt: UnixMilliseconds
  readonly sends: ReadonlyArray<PrivateSend>
}

interface Entry extends QueuedTransaction {
  readonly sends: Array<PrivateSend>
}

/**
 * The transactions that are broadcast privately, by wtxid (Core: `PrivateBroadcast`). Times are supplied by the caller.
 */
export interface PrivateQueue {
  readonly add: (transaction: PrivateTransaction, now: UnixMilliseconds) => "added" | "known" | "full"
  /**
   * Removes a transaction and returns it with the number of peers that confirmed it, or `undefined` if it was not
   * queued.
   */
  readonly remove: (wtxid: Uint8Array) => (PrivateTransaction & { readonly confirmed: number }) | undefined
  /**
   * Chooses the transaction for a new peer: the one sent least often, then confirmed least often, then sent longest
   * ago.
   */
  readonly pick: (peer: number, address: string, now: UnixMilliseconds) => PrivateTransaction | undefined
  /** Returns the transaction picked for a peer, while it is queued. */
  readonly pickedFor: (peer: number) => PrivateTransaction | undefined
  readonly confirm: (peer: number, now: UnixMilliseconds) => void
  /** Forgets a peer. Returns true if it had confirmed the transaction picked for it. */
  readonly gone: (peer: number) => boolean
  /** Returns the transactions that no peer has confirmed for too long. */
  readonly stale: (now: UnixMilliseconds) => ReadonlyArray<PrivateTransaction>
  /** Returns the transactions with this txid or wtxid. */
  readonly withId: (id: Uint8Array) => ReadonlyArray<PrivateTransaction>
  readonly all: () => ReadonlyArray<QueuedTransaction>
  readonly size: () => number
}

interface Turn {
  readonly picked: number
  readonly confirmed: number
  readonly lastPicked: number
  readonly lastConfirmed: number
}

const NEVER = 0

const turnOf = ({ sends }: Entry): Turn => {
  let [confirmed, lastPicked, lastConfirmed] = [0, NEVER, NEVER]
  for (const { confirmedAt, sentAt } of sends) {
    lastPicked = Math.max(lastPicked, sentAt)
    if (confirmedAt === undefined) continue
    confirmed++
    lastConfirmed = Math.max(lastConfirmed, confirmedAt)
  }
  return { picked: sends.length, confirmed, lastPicked, lastConfirmed }
}

const compareTurns = (a: Turn, b: Turn): number =>
  a.picked - b.picked || a.confirmed - b.confirmed || a.lastPicked - b.lastPicked || a.lastConfirmed - b.lastConfirmed

const isStale = (entry: Entry, now: UnixMilliseconds): boolean => {
  const { confirmed, lastConfirmed } = turnOf(entry)
  const { stale, staleAtFirst } = PRIVATE_BROADCAST_LIMITS
  return confirmed === 0 ? entry.addedAt < now - staleAtFirst.most : lastConfirmed < now - stale.most
}

/** Returns the entry whose turn comes first; of equals, the oldest. */
const firstOf = (entries: Iterable<Entry>): Entry | undefined => {
  let found: { readonly entry: Entry; readonly turn: Turn } | undefined
  for (const entry of entries) {
    const turn = turnOf(entry)
    if (found === undefined || compareTurns(turn, found.turn) < 0) found = { entry, turn }
  }
  return found?.entry
}

export const privateQueue = (): PrivateQueue => {
  const entries = new Map<string, Entry>()
  const ofPeers = new Map<number, { readonly key: string; readonly send: PrivateSend }>()
  return {
    add: ({ transaction, txid, wtxid }, now) => {
      const key = hashKey(wtxid)
      if (entries.has(key)) return "known"
      if (entries.size >= PRIVATE_BROADCAST_LIMITS.queue.most) return "full"
      entries.set(key, { transaction, txid, wtxid, addedAt: now, sends: [] })
      return "added"
    },
    remove: (wtxid) => {
      const key = hashKey(wtxid)
      const entry = entries.get(key)
      entries.delete(key)
      return entry && { ...entry, confirmed: turnOf(entry).confirmed }
    },
    pick: (peer, address, now) => {
      const entry = firstOf(entries.values())
      if (entry === undefined) return undefined
      const send = { peer, address, sentAt: now, confirmedAt: undefined }
      entry.sends.push(send)
      ofPeers.set(peer, { key: hashKey(entry.wtxid), send })
      return entry
    },
    pickedFor: (peer) => {
      const of = ofPeers.get(peer)
      return of === undefined ? undefined : entries.get(of.key)
    },
    confirm: (peer, now) => {
      const of = ofPeers.get(peer)
      if (of !== undefined) of.send.confirmedAt = now
    },
    gone: (peer) => {
      const isConfirmed = ofPeers.get(peer)?.send.confirmedAt !== undefined
      ofPeers.delete(peer)
      return isConfirmed
    },
    stale: (now) => [...entries.values()].filter((entry) => isStale(entry, now)),
    withId: (id) => [...entries.values()].filter(({ txid, wtxid }) => bytesEqual(txid, id) || bytesEqual(wtxid, id)),
    all: () => [...entries.values()],
    size: () => entries.size
  }
}
