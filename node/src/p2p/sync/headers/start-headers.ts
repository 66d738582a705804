import type { Moment, UnixMilliseconds } from "../../../quantities.ts"
import { isForBlocks } from "../../peer/peer.ts"
import { requestHeaders } from "./request-headers.ts"
import type { PeerSync } from "../peer-sync.ts"
import {
  FIRST_HEADERS_TIME,
  HEADERS_DOWNLOAD_BASE,
  HEADERS_DOWNLOAD_PER_HEADER,
  RECENT_HEADER
} from "../sync-limits.ts"
import { isRecent, preferredCount, type SyncState } from "../sync-state.ts"

/**
 * True if a peer that headers are fetched from has no more of them, and they have enough work, so that only blocks are
 * missing. A peer whose own chain has too little work answers with an empty message, which says nothing about the
 * chain.
 */
export const headersAreComplete = ({ context: { chain, network }, peers }: SyncState): boolean => {
  if (chain.tree.bestHeader.chainWork < network.minimumChainWork) return false
  for (const { headersDoneSince, syncStarted } of peers.values()) if (syncStarted && headersDoneSince !== 0) return true
  return false
}

/** True if all headers are known and blocks are missing. Peers that have them then have to show it. */
const blocksAreMissing = (sync: SyncState): boolean => {
  const { bestHeader, tip } = sync.context.chain.tree
  return sync.headersFrom > 0 && tip.chainWork < bestHeader.chainWork && headersAreComplete(sync)
}

/** True if the peer has sent all its headers. */
const hasNoMore = ({ headersDoneSince }: PeerSync): boolean => headersDoneSince !== 0

/**
 * True if no peer that headers are fetched from is worth waiting for: none is preferred, has answered in time, or has
 * more.
 */
const mayBeJoined = ({ peers }: SyncState, from: PeerSync, now: UnixMilliseconds): boolean => {
  for (const source of peers.values()) {
    if (!source.syncStarted) continue
    const isLesser = from.isPreferred && !source.isPreferred
    const isSilent = !source.hasSentHeaders && source.askedForHeaders !== 0 &&
      now - source.askedForHeaders > FIRST_HEADERS_TIME
    if (!isLesser && !isSilent && !hasNoMore(source)) return false
  }
  return true
}

/** True if all peers that headers are fetched from have no more; an untrusted inbound peer may then have more. */
const mayFetchFromUntrusted = ({ headersFrom, peers }: SyncState): boolean => {
  for (const source of peers.values()) if (source.syncStarted && !hasNoMore(source)) return false
  return headersFrom > 0
}

/**
 * The same for the patient setting: one peer sends all headers, and an inbound one only if no preferred one is busy.
 */
const mayBeginAlone = (sync: SyncState, from: PeerSync): boolean =>
  sync.headersFrom === 0 && (from.isPreferred || preferredCount(sync) === 0 || sync.inFlight.size === 0)

/**
 * True if headers may be fetched from this peer now: from one at a time while many are missing. A silent peer that
 * connected first does not stop the node from asking others, above all an untrusted inbound one.
 */
const mayBegin = (sync: SyncState, from: PeerSync, now: UnixMilliseconds): boolean => {
  if (isRecent(sync, sync.context.chain.tree.bestHeader, RECENT_HEADER)) return true
  if (!isForBlocks(from.peer)) return false
  if (sync.settings.isPatient === true) return mayBeginAlone(sync, from)
  if (blocksAreMissing(sync)) return true
  return from.isPreferred || preferredCount(sync) === 0 ? mayBeJoined(sync, from, now) : mayFetchFromUntrusted(sync)
}

/** Begins to fetch headers from the peer: from one at a time while many are missing, from all peers afterwards. */
export const startHeaders = (sync: SyncState, from: PeerSync, now: UnixMilliseconds): void => {
  const { chain: { tree: { bestHeader } }, network } = sync.context
  if (from.syncStarted || !from.servesBlocks || !mayBegin(sync, from, now)) return
  // Begins one header back, so that even a peer at the same tip answers with a header, which shows that it has the tip.
  const start = bestHeader.parent ?? bestHeader
  if (!requestHeaders(sync, from, start)) return
  const startHeight = from.peer.hello?.startHeight ?? 0
  sync.context.notify.trace?.({ _tag: "HeadersRequested", peer: from.peer.id, height: start.height, startHeight })
  const missing = Math.max(0, (now / 1_000 - bestHeader.header.time) / network.parameters.work.targetSpacing)
  from.syncStarted = true
  from.headersDeadline = now + HEADERS_DOWNLOAD_BASE + HEADERS_DOWNLOAD_PER_HEADER * missing
  sync.headersFrom++
}

/** Stops fetching headers from this peer; another may begin. */
export const endHeaders = (sync: SyncState, from: PeerSync): void => {
  if (!from.syncStarted) return
  from.syncStarted = false
  from.headersDeadline = Infinity
  from.askedForHeaders = 0
  from.presync = undefined
  from.headersDoneSince = 0
  from.hasSentHeaders = false
  sync.headersFrom--
}

/** True if headers can be fetched from another preferred peer. */
const hasOther = (sync: SyncState, from: PeerSync): boolean => preferredCount(sync) - (from.isPreferred ? 1 : 0) >= 1

/** Gives up fetching headers from a peer. A trusted peer stays connected for any other use. */
const giveUp = (sync: SyncState, from: PeerSync, _tag: "HeadersTimeout" | "HeadersUnanswered"): void => {
  if (!from.peer.isTrusted) return from.peer.disconnect({ _tag })
  endHeaders(sync, from)
  from.headersFailures = 0
}

/** True if the peer's time for all headers is over and a better one is connected: any peer, or a preferred one. */
const isTooLate = (sync: SyncState, from: PeerSync, now: Moment): boolean =>
  now > from.headersDeadline && (sync.headersFrom === 1 || !from.isPreferred) && hasOther(sync, from)

/**
 * Watches the peer that headers are fetched from while many are missing. If it does not answer, it gets a few more
 * requests, alternating with another peer. If it takes too long in total, it is disconnected when another is connected.
 */
export const watchHeaders = (sync: SyncState, from: PeerSync, now: UnixMilliseconds): void => {
  const { settings } = sync
  if (!from.syncStarted || from.headersDeadline === Infinity) return
  if (isRecent(sync, sync.context.chain.tree.bestHeader, RECENT_HEADER)) {
    from.headersDeadline = Infinity
    return
  }
  if (isTooLate(sync, from, now)) {
    const { id, isTrusted } = from.peer
    sync.context.notify.trace?.({ _tag: "HeadersTimeout", peer: id, isKept: isTrusted })
    return giveUp(sync, from, "HeadersTimeout")
  }
  if (settings.isPatient === true) return
  if (from.askedForHeaders !== 0 && now - from.askedForHeaders > settings.headersTimeout) {
    from.headersFailures++
    if (from.headersFailures >= settings.headersFailures) {
      return giveUp(sync, from, "HeadersUnanswered")
    }
    if (hasOther(sync, from)) return endHeaders(sync, from)
    from.askedForHeaders = 0
    requestHeaders(sync, from, sync.context.chain.tree.bestHeader)
  }
}
