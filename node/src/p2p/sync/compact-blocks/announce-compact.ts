import { headerOf } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { ensuring } from "../../../finalizers/finalizers.ts"
import type { NewBlockContents } from "../../../engine/api/engine-notification.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { hasHeader, resolveAnnounced } from "../blocks/block-availability.ts"
import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"

/** Minimum version of peers that do not punish the sender of an invalid compact block. */
const SINCE_VERSION = 70_015

/** Sends a new block to a peer as a compact block. The peer's next message waits for that. */
export const sendCompact = (sync: SyncState, to: PeerSync, node: HeaderIndexNode): void => {
  to.bestSent = node
  const sending = Effect.map(sync.compact.forms.of(node), (form) => {
    if (form !== undefined) {
      to.compactBlocks.announced++
      to.peer.send(form.message)
    } else to.peer.send({ command: "headers", headers: [headerOf(node.header.bytes)] })
  })
  sync.compact.fork(ensuring(sending, Effect.sync(to.peer.announcements.begin())))
}

/**
 * Announces a block that is about to become the tip. High-bandwidth peers get it before its scripts are verified, as
 * BIP152 allows. It happens once for each height, so that no peer makes this node announce block after block.
 */
export const announceEarly = (
  sync: SyncState,
  node: HeaderIndexNode,
  contents?: NewBlockContents
): void => {
  const { compact, context: { network } } = sync
  if (node.height <= compact.announcedHeight) return
  compact.announcedHeight = node.height
  if (node.height < network.parameters.heights.segwit) return
  compact.forms.note(node, contents)
  for (const to of sync.peers.values()) {
    const { hello, isGone } = to.peer
    if (isGone || (hello?.version ?? 0) < SINCE_VERSION || !compact.preferences.prefersCompact(to.peer)) {
      continue
    }
    resolveAnnounced(sync, to)
    if (hasHeader(to, node) || !hasHeader(to, node.parent!)) continue
    compact.figures.announced.early++
    sendCompact(sync, to, node)
  }
}
