import { nodeOf } from "../../engine/header-tree/header-tree.ts"
import { askForHeaders } from "./ask-for-headers.ts"
import { noteAnnounced } from "./block-availability.ts"
import { hashKey } from "./hash-key.ts"
import type { PeerSync } from "./peer-sync.ts"
import type { SyncState } from "./sync-state.ts"

/**
 * Blocks that a peer names. Blocks come by their headers only, so it is asked for those, once for a message however many it
 * names (CVE-2024-52915), and while headers come from somebody else only the first peer that names a block.
 */
export const takeAnnounced = (sync: SyncState, from: PeerSync, hashes: ReadonlyArray<Uint8Array>): void => {
  const { tree } = sync.context.chain
  let unknown: Uint8Array | undefined
  for (const hash of hashes) {
    noteAnnounced(sync, from, hash)
    if (nodeOf(tree, hash) === undefined) unknown = hash
  }
  if (unknown === undefined) return
  const key = hashKey(unknown)
  if (!from.syncStarted && sync.headersFrom > 0 && sync.lastAnnounced === key) return
  if (askForHeaders(sync, from, tree.bestHeader) && !from.syncStarted) sync.lastAnnounced = key
}
