import type { UnixMilliseconds } from "../../quantities.ts"
import { messageBytes } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { HeaderIndexNode } from "../../engine/header-index/header-index-node.ts"
import { subscription } from "../../finalizers/finalizers.ts"
import { announceEarly } from "./compact-blocks/announce-compact.ts"
import { type CompactOptions, compactState } from "./compact-blocks/compact-state.ts"
import { blockTransactionsIn, receiveBlockTransactions } from "./compact-blocks/receive-block-transactions.ts"
import { receiveCompactBlock } from "./compact-blocks/receive-compact-block.ts"
import { foreignHeaderGuards } from "./foreign-chains/foreign-header-guards.ts"
import { watchBranches } from "./foreign-chains/watch-branches.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import type { PeerPart, RawHandlers } from "../peer/peer-part.ts"
import { ProtocolVersion } from "../peer/session/protocol-versions.ts"
import { announceBlocks, noteNewTip } from "./announce.ts"
import { receiveBlockAnnouncements } from "./blocks/announced-blocks.ts"
import { receiveBlock, blockChecked } from "./blocks/block-intake.ts"
import { beginPeerSync } from "./begin-peer-sync.ts"
import { forgetAll } from "./blocks/blocks-in-flight.ts"
import { considerEviction } from "./headers/chain-sync-timeout.ts"
import { requestBlocks, watchBlocks } from "./blocks/download.ts"
import { isHalted } from "./blocks/engine-refusals.ts"
import { receiveHeaders } from "./headers/headers-intake.ts"
import { receiveNotFoundBlocks } from "./blocks/not-found-blocks.ts"
import type { PeerSync } from "./peer-sync.ts"
import { sendOnNewTip } from "./send-on-new-tip.ts"
import { endHeaders, startHeaders, watchHeaders } from "./headers/start-headers.ts"
import { type SyncProgress, syncProgress } from "./sync-progress.ts"
import { type SyncSettings, type SyncState, syncState } from "./sync-state.ts"

/** The sync as a part, with its interface to other parts. */
export interface Sync {
  readonly part: PeerPart
  readonly state: SyncState
  readonly progress: SyncProgress
  /** Called when a peer announced these blocks. */
  readonly blocksAnnounced: (peer: Peer, hashes: ReadonlyArray<Uint8Array>) => void
  /** Called when a peer does not have these requested blocks. */
  readonly blocksNotFound: (peer: Peer, hashes: ReadonlyArray<Uint8Array>) => void
  /**
   * Announces new blocks to all peers, and requests the headers that a new tip makes due, without waiting for a tick.
   */
  readonly sendOnNewTip: () => void
  /** Called when the chain up to this header was announced to a peer. */
  readonly headersSent: (peer: Peer, node: HeaderIndexNode) => void
}

/**
 * Requests announcements of blocks by headers, once the peer has shown a chain worth following. A block that is being
 * validated may yet end the connection.
 */
const preferHeaders = ({ context: { network } }: SyncState, from: PeerSync): void => {
  if (!from.peer.blocks.isSettled()) return
  if (from.askedToPreferHeaders || (from.peer.hello?.version ?? 0) < ProtocolVersion.SEND_HEADERS) return
  if (from.best === undefined || from.best.chainWork <= network.minimumChainWork) return
  from.askedToPreferHeaders = true
  from.peer.send({ command: "sendheaders" })
}

const tick = (sync: SyncState, from: PeerSync, now: UnixMilliseconds): void => {
  const halted = isHalted(sync)
  if (!halted) startHeaders(sync, from, now)
  preferHeaders(sync, from)
  announceBlocks(sync, from)
  watchBlocks(sync, from, now)
  if (!halted) {
    watchHeaders(sync, from, now)
    considerEviction(sync, from, now)
  }
  if (!from.peer.isGone) requestBlocks(sync, from, now)
}

/** Runs an effect with the sync's state of a peer; does nothing for an unknown peer. */
type WithPeer = (peer: Peer, run: (from: PeerSync) => Effect.Effect<void>) => Effect.Effect<void>

/**
 * Handlers that decode more than the header or hash of these messages only if needed. The form of the whole message is
 * checked before: a malformed one has no effect at all, not even that of its header.
 */
const compactHandlers = (sync: SyncState, withPeer: WithPeer): RawHandlers => ({
  cmpctblock: (peer, payload) =>
    Result.map(
      messageBytes("cmpctblock", payload),
      (bytes) => withPeer(peer, (from) => peer.blocks.run(receiveCompactBlock(sync, from, bytes)))
    ),
  blocktxn: (peer, payload) =>
    Result.map(
      blockTransactionsIn(payload),
      (bytes) => withPeer(peer, (from) => peer.blocks.run(receiveBlockTransactions(sync, from, bytes)))
    )
})

/** Makes the sync, which fetches headers and blocks from peers and announces them. It ends with the scope. */
export const makeSync = (
  context: P2pContext,
  settings: SyncSettings,
  compact: CompactOptions
): Effect.Effect<Sync, never, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const sync = syncState(context, settings, compactState(compact, yield* FiberSet.makeRuntime()))
    const progress = syncProgress(sync)
    const watch = watchBranches(sync)
    const withPeer: WithPeer = (peer, run) => {
      const from = sync.peers.get(peer.id)
      return from === undefined ? Effect.void : run(from)
    }
    yield* subscription(() =>
      context.chain.listen({
        judged: (node, rejection) => blockChecked(sync, node, rejection),
        tip: (tip, fork, initialBlockDownload) => {
          sync.tipSince = context.environment.now()
          if (!initialBlockDownload) noteNewTip(sync, tip, fork)
        },
        newBlock: (node, contents) => announceEarly(sync, node, contents)
      })
    )
    const part: PeerPart = {
      name: "sync",
      handlers: {
        headers: (peer, message) => withPeer(peer, (from) => receiveHeaders(sync, from, message)),
        block: (peer, message) => withPeer(peer, (from) => receiveBlock(sync, from, message, scope))
      },
      raw: compactHandlers(sync, withPeer),
      guards: foreignHeaderGuards(sync),
      ready: (peer) => {
        sync.peers.set(peer.id, beginPeerSync(peer, settings, context.environment.now()))
      },
      tick: (peer, now) => {
        const from = sync.peers.get(peer.id)
        if (from !== undefined) tick(sync, from, now)
      },
      tickAll: () => {
        progress.tick()
        watch()
      },
      gone: (peer) => {
        const from = sync.peers.get(peer.id)
        if (from === undefined) return
        forgetAll(sync, from)
        endHeaders(sync, from)
        sync.peers.delete(peer.id)
        for (const [key, source] of sync.sources) if (source.peer === from) sync.sources.delete(key)
      }
    }
    return {
      part,
      state: sync,
      progress,
      blocksAnnounced: (peer, hashes) => {
        const from = sync.peers.get(peer.id)
        if (from !== undefined) receiveBlockAnnouncements(sync, from, hashes)
      },
      blocksNotFound: (peer, hashes) => {
        const from = sync.peers.get(peer.id)
        if (from !== undefined) receiveNotFoundBlocks(sync, from, hashes)
      },
      sendOnNewTip: () => sendOnNewTip(sync),
      headersSent: (peer, node) => {
        const from = sync.peers.get(peer.id)
        if (from !== undefined) from.bestSent = node
      }
    }
  })
