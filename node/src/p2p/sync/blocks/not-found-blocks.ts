import { nodeOf } from "../../../engine/header-index/header-index.ts"
import { forget } from "./blocks-in-flight.ts"
import type { PeerSync } from "../peer-sync.ts"
import type { SyncState } from "../sync-state.ts"

/** Processes `notfound` for requested blocks: other peers are asked, and this one is paused. */
export const receiveNotFoundBlocks = (sync: SyncState, from: PeerSync, hashes: ReadonlyArray<Uint8Array>): void => {
  const { chain: { tree }, environment } = sync.context
  const now = environment.now()
  for (const hash of hashes) {
    const node = nodeOf(tree, hash)
    if (node !== undefined && forget(sync, node, now, from)) from.pausedUntil = now + sync.settings.downloadTimeout
  }
}
