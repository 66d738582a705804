import type { NodeConfig } from "../../config/config.ts"
import type { SyncSettings } from "./sync-state.ts"

/** What `[ibd]` means for the sync. */
export const syncSettings = (download: NodeConfig["download"]): SyncSettings => ({
  blocksPerRequest: download.blocksPerRequest,
  blocksPerPeer: download.blocksPerPeer,
  fromOnePeer: download.fromOnePeer,
  downloadTimeout: download.timeoutSeconds * 1_000,
  headersTimeout: download.headersTimeoutSeconds * 1_000,
  headersFailures: download.headersFailures
})
