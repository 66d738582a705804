import { HeaderStatus } from "../../../engine/header-index/header-status.ts"
import { has, nodeOf } from "../../../engine/header-index/header-index.ts"
import { requestHeaders } from "../headers/request-headers.ts"
import { noteAnnounced } from "./block-availability.ts"
import { requestBlocks } from "./download.ts"
import { hashKey } from "../../basics/hash-key.ts"
import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"

/**
 * Processes blocks that a peer announces by `inv`. The node requests those whose headers are known and whose data is
 * missing. For the others it requests headers, once for each message (CVE-2024-52915).
 *
 * While headers are not fetched from a peer, that happens once for it, and only for the first of such peers that
 * announces a block. The peer that headers are fetched from may be silent, but not all other peers should send their
 * headers for every new block.
 */
export const receiveBlockAnnouncements = (sync: SyncState, from: PeerSync, hashes: ReadonlyArray<Uint8Array>): void => {
  const { tree } = sync.context.chain
  let unknown: Uint8Array | undefined
  let isMissing = false
  for (const hash of hashes) {
    noteAnnounced(sync, from, hash)
    const node = nodeOf(tree, hash)
    if (node === undefined) unknown = hash
    else if (!has(tree, node, HeaderStatus.STORED)) isMissing = true
  }
  if (isMissing) requestBlocks(sync, from, sync.context.environment.now())
  if (unknown === undefined) return
  const key = hashKey(unknown)
  if (!from.syncStarted && (from.askedEarly || sync.lastAnnounced === key)) return
  requestHeaders(sync, from, tree.bestHeader)
  if (from.syncStarted) return
  from.askedEarly = true
  sync.lastAnnounced = key
}
