import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import { ancestorAt } from "@lockstep/kernel/chain"
import { blockHash, type Header } from "@lockstep/kernel/model"
import { blockWork, proofOfWork } from "@lockstep/kernel/work"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import type { HeadersMessage } from "@lockstep/protocol/wire/messages/headers.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isActive } from "../../../engine/header-index/active-chain.ts"
import { nodeOf } from "../../../engine/header-index/header-index.ts"
import type { Misbehavior } from "../../../runtime/misbehavior.ts"
import type { PresyncNews } from "../../../runtime/sync-happening.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { requestHeaders, sendGetHeaders } from "./request-headers.ts"
import { noteAnnounced } from "../blocks/block-availability.ts"
import { noteNewHeader } from "../note-new-header.ts"
import { directFetch } from "../blocks/direct-fetch.ts"
import type { PeerSync } from "../peer-sync.ts"
import { type HeadersPresync, headersPresync, presyncHeaders } from "../presync/presync.ts"
import { maybePunishPeer } from "../misbehavior.ts"
import { endHeaders } from "./start-headers.ts"
import type { SyncState } from "../sync-state.ts"
import { workThreshold } from "./work-threshold.ts"
import { noteChainOf } from "./chain-sync-timeout.ts"

const hashesOf = (headers: ReadonlyArray<Header>, { context: { crypto } }: SyncState): ReadonlyArray<Uint8Array> =>
  headers.map((header) => blockHash(header, crypto))

/** Returns the misbehavior in headers that shows whatever header they connect to, or `undefined`. */
const faultOf = (
  sync: SyncState,
  headers: ReadonlyArray<Header>,
  hashes: ReadonlyArray<Uint8Array>
): Misbehavior | undefined => {
  const { powLimit } = sync.context.network.parameters.work
  for (const [i, header] of headers.entries()) {
    if (Result.isFailure(proofOfWork(hashes[i]!, header.bits, powLimit))) return { _tag: "HeaderWithoutWork" }
  }
  for (let i = 1; i < headers.length; i++) {
    if (!bytesEqual(headers[i]!.previous, hashes[i - 1]!)) return { _tag: "HeadersNotContinuous" }
  }
  return undefined
}

const isOurs = ({ context: { chain: { tree } } }: SyncState, node: HeaderIndexNode): boolean =>
  isActive(tree, node) || ancestorAt(tree.bestHeader, node.height) === node

const workOf = (headers: ReadonlyArray<Header>): bigint => headers.reduce((sum, { bits }) => sum + blockWork(bits), 0n)

/** Records whether a peer has sent all its headers. */
const noteDone = ({ context: { environment } }: SyncState, from: PeerSync, isDone: boolean): void => {
  if (!isDone) from.headersDoneSince = 0
  else if (from.headersDoneSince === 0) from.headersDoneSince = environment.now()
}

/**
 * Returns the progress of the headers, in percent of the expected number by now. Precondition: not the genesis block.
 */
const headersProgress = (
  { context: { environment, network } }: SyncState,
  { header, height }: HeaderIndexNode
): number => {
  const missing = Math.max(0, environment.now() / 1_000 - header.time) / network.parameters.work.targetSpacing
  return (100 * height) / (height + missing)
}

/** Adds headers with enough work to the header index, and continues from there. */
const store = Effect.fnUntraced(function*(
  sync: SyncState,
  from: PeerSync,
  bytes: ReadonlyArray<Uint8Array>,
  isFull: boolean
) {
  const { chain } = sync.context
  const last = sync.context.crypto.sha256d(bytes.at(-1)!)
  const wasKnown = nodeOf(chain.tree, last) !== undefined
  const { rejection } = yield* chain.acceptHeaders(concatBytes(bytes))
  if (rejection !== undefined) return maybePunishPeer(from, rejection, "headers")
  const node = nodeOf(chain.tree, last)
  // The engine refused them, so they are requested again.
  if (node === undefined) return endHeaders(sync, from)
  from.headersFailures = 0
  if (!wasKnown) noteNewHeader(sync, from, node, "headers")
  if (chain.state().initialBlockDownload) {
    sync.context.notify.trace?.({ _tag: "HeadersStored", height: node.height, progress: headersProgress(sync, node) })
  }
  noteDone(sync, from, !isFull)
  if (isFull) requestHeaders(sync, from, node)
  noteAnnounced(sync, from, node.hash)
  if (!wasKnown && node.chainWork > chain.tree.tip.chainWork) from.lastAnnouncement = sync.context.environment.now()
  noteChainOf(sync, from, isFull)
  if (!from.peer.isGone) directFetch(sync, from, node)
})

/** Records that the requested headers arrived, as far as the message shows. */
const noteAnswer = (from: PeerSync): void => {
  from.askedForHeaders = 0
  from.hasSentHeaders = true
}

const traceOfPresync = ({ context: { notify } }: SyncState, from: PeerSync, news: PresyncNews): void =>
  notify.trace?.({ _tag: "Presync", peer: from.peer.id, news })

/**
 * Processes headers for the presync of a peer's chain. Returns the headers to store, or `undefined` if they do not
 * belong to that chain.
 */
const takeInPresync = (
  sync: SyncState,
  from: PeerSync,
  presync: HeadersPresync,
  headers: ReadonlyArray<Header>,
  isFull: boolean
): ReadonlyArray<Uint8Array> | undefined => {
  const { holds, news, next, released } = presyncHeaders(presync, headers, isFull)
  // Otherwise the request is still unanswered.
  if (holds) noteAnswer(from)
  if (news !== undefined) traceOfPresync(sync, from, news)
  if (presync.phase === "ended") from.presync = undefined
  if (from.presync === undefined && !presync.releasesAll) {
    noteDone(sync, from, true)
    sync.context.notify.log("debug", "a peer's chain of little work came to an end", { peer: from.peer.name })
  }
  if (next !== undefined) sendGetHeaders(sync, from, next)
  return holds ? released : undefined
}

/**
 * Begins a presync of a chain that has too little work so far. Only a full message may be followed by more headers;
 * otherwise the chain is ignored.
 */
const beginPresync = (
  sync: SyncState,
  from: PeerSync,
  start: HeaderIndexNode,
  headers: ReadonlyArray<Header>,
  isFull: boolean
): void => {
  const { crypto, environment, network, notify } = sync.context
  if (!isFull) {
    noteDone(sync, from, true)
    notify.trace?.({ _tag: "LowWorkChainIgnored", peer: from.peer.id, height: start.height + headers.length })
    return notify.log("debug", "headers of a chain of too little work are ignored", { peer: from.peer.name })
  }
  const presync = headersPresync(start, workThreshold(sync), network, crypto, environment)
  from.presync = presync
  const { minimumWork, mostCommitments } = presync
  traceOfPresync(sync, from, { _tag: "Started", height: start.height, mostCommitments, minimumWork })
  takeInPresync(sync, from, presync, headers, isFull)
}

/**
 * Processes headers that connect to no known header: requests the headers between. `last` is the hash of the last one.
 */
const takeUnconnected = (
  sync: SyncState,
  from: PeerSync,
  first: { readonly hash: Uint8Array; readonly previous: Uint8Array },
  last: Uint8Array
): void => {
  const { chain: { tree: { bestHeader } }, notify } = sync.context
  if (requestHeaders(sync, from, bestHeader)) {
    notify.trace?.({ _tag: "HeadersUnconnected", peer: from.peer.id, ...first, height: bestHeader.height })
  }
  noteAnnounced(sync, from, last)
}

/** Processes headers, requested or announced. */
export const receiveHeaders = (sync: SyncState, from: PeerSync, { headers }: HeadersMessage): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { chain: { tree }, limits } = sync.context
    if (headers.length === 0) {
      noteAnswer(from)
      // A peer that answers with an empty message has no more headers, so the chain of its presync has too little work.
      from.presync = undefined
      noteDone(sync, from, true)
      return Effect.void
    }
    // A peer that fills messages up to the default limit has more headers, whatever limit is configured here.
    const isFull = headers.length >= Math.min(limits.headers, DEFAULT_LIMITS.headers)
    const hashes = hashesOf(headers, sync)
    const fault = faultOf(sync, headers, hashes)
    if (fault !== undefined) return Effect.sync(() => from.peer.discourage(fault))
    const bytes = headers.map((header) => header.bytes)

    if (from.presync !== undefined) {
      const released = takeInPresync(sync, from, from.presync, headers, isFull)
      if (released?.length === 0) return Effect.void
      if (released !== undefined) return store(sync, from, released, isFull && from.presync === undefined)
    }
    const start = nodeOf(tree, headers[0]!.previous)
    if (start === undefined) {
      // The request is still unanswered.
      takeUnconnected(sync, from, { hash: hashes[0]!, previous: headers[0]!.previous }, hashes.at(-1)!)
      return Effect.void
    }
    noteAnswer(from)
    const known = nodeOf(tree, hashes.at(-1)!)
    const hasEnough = from.peer.isTrusted || (known !== undefined && isOurs(sync, known)) ||
      start.chainWork + workOf(headers) >= workThreshold(sync)
    if (!hasEnough) {
      beginPresync(sync, from, start, headers, isFull)
      return Effect.void
    }
    return store(sync, from, bytes, isFull)
  })
