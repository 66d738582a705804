import type { NodeConfig } from "../../config/config.ts"
import type { SyncSettings } from "./sync-state.ts"

/** What `[ibd]` means for the sync. `isPatient`: peers are waited for as in Bitcoin Core. */
export const syncSettings = (download: NodeConfig["download"], isPatient = false): SyncSettings => ({
  isPatient,
  blocksPerRequest: download.blocksPerRequest,
  blocksPerPeer: download.blocksPerPeer,
  fromOnePeer: download.fromOnePeer,
  downloadTimeout: download.timeoutSeconds * 1_000,
  headersTimeout: download.headersTimeoutSeconds * 1_000,
  headersFailures: download.headersFailures
})
