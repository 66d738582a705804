import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes/equal.ts"
import { ancestorAt } from "@lockstep/kernel/header/node.ts"
import type { Header } from "@lockstep/kernel/model/header.ts"
import { blockHash } from "@lockstep/kernel/model/identity.ts"
import { blockWork } from "@lockstep/kernel/work/block-work.ts"
import { proofOfWork } from "@lockstep/kernel/work/proof-of-work.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import type { HeadersMessage } from "@lockstep/protocol/wire/messages/headers.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isActive } from "../../engine/header-tree/active-chain.ts"
import { nodeOf } from "../../engine/header-tree/header-tree.ts"
import type { TreeNode } from "../../engine/header-tree/tree-node.ts"
import { askForHeaders, askWithLocator } from "./ask-for-headers.ts"
import { noteAnnounced } from "./block-availability.ts"
import { fetchDirectly } from "./direct-fetch.ts"
import type { PeerSync } from "./peer-sync.ts"
import { type HeadersPresync, headersPresync, takePresyncHeaders } from "./presync/presync.ts"
import { punish } from "./punish.ts"
import { endHeaders } from "./start-headers.ts"
import type { SyncState } from "./sync-state.ts"
import { workThreshold } from "./work-threshold.ts"
import { noteChainOf } from "./chain-sync-trial.ts"

const hashesOf = (headers: ReadonlyArray<Header>, { context: { crypto } }: SyncState): ReadonlyArray<Uint8Array> =>
  headers.map((header) => blockHash(header, crypto))

/** What is wrong with the headers by themselves, whatever they stand on. */
const faultOf = (sync: SyncState, headers: ReadonlyArray<Header>, hashes: ReadonlyArray<Uint8Array>): string | undefined => {
  const { powLimit } = sync.context.network.parameters.work
  for (const [i, header] of headers.entries()) {
    if (Result.isFailure(proofOfWork(hashes[i]!, header.bits, powLimit))) return "header with invalid proof of work"
  }
  for (let i = 1; i < headers.length; i++) {
    if (!bytesEqual(headers[i]!.previous, hashes[i - 1]!)) return "non-continuous headers sequence"
  }
  return undefined
}

const isOurs = ({ context: { chain: { tree } } }: SyncState, node: TreeNode): boolean =>
  isActive(tree, node) || ancestorAt(tree.bestHeader, node.height) === node

const workOf = (headers: ReadonlyArray<Header>): bigint => headers.reduce((sum, { bits }) => sum + blockWork(bits), 0n)

/** Whether it has shown all headers it has. */
const noteDone = ({ context: { environment } }: SyncState, from: PeerSync, isDone: boolean): void => {
  if (!isDone) from.headersDoneSince = 0
  else if (from.headersDoneSince === 0) from.headersDoneSince = environment.now()
}

/** Puts headers whose work is enough into the tree, and goes on from there. */
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
  if (rejection !== undefined) return punish(from, rejection)
  const node = nodeOf(chain.tree, last)
  // Refused, by the engine: they are asked for again.
  if (node === undefined) return endHeaders(sync, from)
  from.headersFailures = 0
  noteDone(sync, from, !isFull)
  if (isFull) askForHeaders(sync, from, node)
  noteAnnounced(sync, from, node.hash)
  if (!wasKnown && node.chainWork > chain.tree.tip.chainWork) from.lastAnnouncement = sync.context.environment.now()
  noteChainOf(sync, from, isFull)
  if (!from.peer.isGone) fetchDirectly(sync, from, node)
})

/** Headers of a peer whose chain's work is being added up. Answers those to be stored; none: they are no part of that chain. */
const takeInPresync = (
  sync: SyncState,
  from: PeerSync,
  presync: HeadersPresync,
  headers: ReadonlyArray<Header>,
  isFull: boolean
): ReadonlyArray<Uint8Array> | undefined => {
  const { holds, next, released } = takePresyncHeaders(presync, headers, isFull)
  if (presync.phase === "ended") from.presync = undefined
  if (from.presync === undefined && !presync.releasesAll) {
    sync.context.tell.log("debug", "a peer's chain of little work came to an end", { peer: from.peer.name })
  }
  if (next !== undefined) askWithLocator(sync, from, next)
  return holds ? released : undefined
}

/** A chain that does not have enough work as far as it was shown: only what a full message may hide more of is looked at. */
const beginPresync = (sync: SyncState, from: PeerSync, start: TreeNode, headers: ReadonlyArray<Header>, isFull: boolean): void => {
  const { crypto, environment, network, tell } = sync.context
  if (!isFull) return tell.log("debug", "headers of a chain of too little work are ignored", { peer: from.peer.name })
  from.presync = headersPresync(start, workThreshold(sync), network.parameters, crypto, environment)
  takeInPresync(sync, from, from.presync, headers, isFull)
}

/** Headers that stand on nothing we have: asks for what is between. */
const takeUnconnected = (sync: SyncState, from: PeerSync, last: Uint8Array): void => {
  askForHeaders(sync, from, sync.context.chain.tree.bestHeader)
  noteAnnounced(sync, from, last)
}

/** What was asked for has come, as far as anybody can tell. */
const noteAnswer = (from: PeerSync): void => {
  from.askedForHeaders = 0
  from.hasSentHeaders = true
}

/** Headers, asked for or announced. */
export const takeHeaders = (sync: SyncState, from: PeerSync, { headers }: HeadersMessage): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { chain: { tree }, limits } = sync.context
    if (headers.length === 0) {
      noteAnswer(from)
      // A peer that answers with nothing has nothing more, so a chain whose work was being added up has too little.
      from.presync = undefined
      noteDone(sync, from, true)
      noteChainOf(sync, from, false)
      return Effect.void
    }
    // Whoever goes by the usual number has more behind that, whatever we allow.
    const isFull = headers.length >= Math.min(limits.headers, DEFAULT_LIMITS.headers)
    const hashes = hashesOf(headers, sync)
    const fault = faultOf(sync, headers, hashes)
    if (fault !== undefined) return Effect.sync(() => from.peer.discourage(fault))
    const bytes = headers.map((header) => header.bytes)

    if (from.presync !== undefined) {
      noteAnswer(from)
      const released = takeInPresync(sync, from, from.presync, headers, isFull)
      if (released?.length === 0) return Effect.void
      if (released !== undefined) return store(sync, from, released, isFull && from.presync === undefined)
    }
    const start = nodeOf(tree, headers[0]!.previous)
    if (start === undefined) {
      // No answer to what was asked: that is awaited as before.
      takeUnconnected(sync, from, hashes.at(-1)!)
      return Effect.void
    }
    noteAnswer(from)
    const known = nodeOf(tree, hashes.at(-1)!)
    const hasEnough = from.peer.isTrusted || (known !== undefined && isOurs(sync, known)) || start.chainWork + workOf(headers) >= workThreshold(sync)
    if (!hasEnough) {
      beginPresync(sync, from, start, headers, isFull)
      return Effect.void
    }
    return store(sync, from, bytes, isFull)
  })
