import type { Moment, UnixMilliseconds } from "../../../quantities.ts"
import { hashKey } from "../../basics/hash-key.ts"
import { PACKAGE_LIMITS } from "./package-limits.ts"

/** A request to a peer for the ancestors of an orphan: first for their wtxids, then for the missing ones. */
export interface PackageRequest {
  readonly peer: number
  /** Wtxid of the orphan. */
  readonly orphan: Uint8Array
  /** Wtxids of the whole package; `undefined` while they are being requested. */
  ancestors: ReadonlyArray<Uint8Array> | undefined
  /** Wtxids of the transactions that are being requested. */
  wanted: ReadonlyArray<Uint8Array>
  /** Time at which another peer is tried instead. */
  until: Moment
  /** True if that time is over; the answer may still arrive. */
  isLate: boolean
}

/** The pending requests for ancestors of orphans. */
export interface PackageRequests {
  /**
   * Begins a request. Returns `undefined` if the orphan is being requested, was requested of this peer before, or the
   * peer has too many requests.
   */
  readonly begin: (peer: number, orphan: Uint8Array, now: UnixMilliseconds) => PackageRequest | undefined
  /** True if a request for the orphan's ancestors is pending. */
  readonly isUnderWay: (orphan: Uint8Array) => boolean
  readonly of: (peer: number) => ReadonlyArray<PackageRequest>
  /** Removes a request that was answered or given up. */
  readonly end: (request: PackageRequest) => void
  /** Returns the requests that became overdue since the last call. They are kept until they are answered. */
  readonly overdue: (now: UnixMilliseconds) => ReadonlyArray<PackageRequest>
  /** Forgets which peers were tried for orphans that are gone. */
  readonly tidy: (isHere: (orphan: Uint8Array) => boolean) => void
  /** Removes a disconnected peer. Returns its pending requests. */
  readonly gone: (peer: number) => ReadonlyArray<PackageRequest>
}

/** The peers tried for an orphan, and its pending request. */
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
