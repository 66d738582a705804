import type { Moment, UnixMilliseconds } from "../../../quantities.ts"
import { hashKey } from "../../basics/hash-key.ts"
import { PACKAGE_LIMITS } from "./package-limits.ts"

/** An orphan whose ancestors are requested of a peer: first their wtxids, then those that are not here. */
export interface PackageRequest {
  readonly peer: number
  /** The wtxid of the orphan. */
  readonly orphan: Uint8Array
  /** Wtxids of the whole package; none: they are requested now. */
  ancestors: ReadonlyArray<Uint8Array> | undefined
  /** Those whose transactions are requested. */
  wanted: ReadonlyArray<Uint8Array>
  /** When another peer is tried instead. */
  until: Moment
  /** That time is over; the answer may still come. */
  isLate: boolean
}

/** The requests for ancestors of orphans that are under way. */
export interface PackageRequests {
  /** Begins a request; none: the orphan is under way, was requested of this peer before, or this one has enough to answer. */
  readonly begin: (peer: number, orphan: Uint8Array, now: UnixMilliseconds) => PackageRequest | undefined
  /** Whether some peer is at it. */
  readonly isUnderWay: (orphan: Uint8Array) => boolean
  readonly of: (peer: number) => ReadonlyArray<PackageRequest>
  /** It was answered or given up. */
  readonly end: (request: PackageRequest) => void
  /** The requests whose time is over since the last call. They stay until they are answered. */
  readonly overdue: (now: UnixMilliseconds) => ReadonlyArray<PackageRequest>
  /** Forgets which peers were tried for orphans that are not here any more. */
  readonly tidy: (isHere: (orphan: Uint8Array) => boolean) => void
  /** The peer disconnected; answers what it was at. */
  readonly gone: (peer: number) => ReadonlyArray<PackageRequest>
}

/** What is known of an orphan. */
interface Attempts {
  readonly orphan: Uint8Array
  readonly tried: Set<number>
  current: PackageRequest | undefined
}

export const packageRequests = (): PackageRequests => {
  const attempts = new Map<string, Attempts>()
  const byPeer = new Map<number, Set<PackageRequest>>()

  const leave = (request: PackageRequest): void => {
    const of = attempts.get(hashKey(request.orphan))
    if (of?.current === request) of.current = undefined
  }

  return {
    begin: (peer, orphan, now) => {
      const key = hashKey(orphan)
      const of: Attempts = attempts.get(key) ?? { orphan, tried: new Set(), current: undefined }
      const own = byPeer.get(peer) ?? new Set()
      if (of.current !== undefined || of.tried.has(peer) || own.size >= PACKAGE_LIMITS.perPeer.most) return undefined
      const until = now + PACKAGE_LIMITS.answerTime.most
      const request: PackageRequest = { peer, orphan, ancestors: undefined, wanted: [], until, isLate: false }
      of.tried.add(peer)
      of.current = request
      own.add(request)
      attempts.set(key, of)
      byPeer.set(peer, own)
      return request
    },
    isUnderWay: (orphan) => attempts.get(hashKey(orphan))?.current !== undefined,
    of: (peer) => [...byPeer.get(peer) ?? []],
    end: (request) => {
      byPeer.get(request.peer)?.delete(request)
      leave(request)
    },
    overdue: (now) => {
      const late = [...byPeer.values()].flatMap((own) =>
        [...own].filter(({ isLate, until }) => !isLate && until <= now)
      )
      for (const request of late) {
        request.isLate = true
        leave(request)
      }
      return late
    },
    tidy: (isHere) => {
      for (const [key, { current, orphan }] of attempts) {
        if (current === undefined && !isHere(orphan)) attempts.delete(key)
      }
    },
    gone: (peer) => {
      const own = [...byPeer.get(peer) ?? []]
      byPeer.delete(peer)
      for (const request of own) leave(request)
      for (const { tried } of attempts.values()) tried.delete(peer)
      return own.filter(({ isLate }) => !isLate)
    }
  }
}
