import { HeaderStatus } from "../../engine/header-tree/header-status.ts"
import { has, nodeOf } from "../../engine/header-tree/header-tree.ts"
import { askForHeaders } from "./ask-for-headers.ts"
import { noteAnnounced } from "./block-availability.ts"
import { requestBlocks } from "./download.ts"
import { hashKey } from "./hash-key.ts"
import type { PeerSync } from "./peer-sync.ts"
import type { SyncState } from "./sync-state.ts"

/**
 * Blocks that a peer names. What is missing of those whose headers are here is asked for. Others come by their headers only, so it is asked for those, once for a message however many it
 * names (CVE-2024-52915). While headers are not fetched from it that happens once, and of all such peers only to the first
 * that names a block: whoever headers do come from may be silent, but nobody else is to send all of them for every new block.
 */
export const takeAnnounced = (sync: SyncState, from: PeerSync, hashes: ReadonlyArray<Uint8Array>): void => {
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
  askForHeaders(sync, from, tree.bestHeader)
  if (from.syncStarted) return
  from.askedEarly = true
  sync.lastAnnounced = key
}
