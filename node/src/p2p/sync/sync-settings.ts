import type { NodeConfig } from "../../config/config.ts"
import type { SyncSettings } from "./sync-state.ts"

/** Converts `[ibd]` to settings of the sync. `isPatient` waits for peers as Bitcoin Core does. */
export const syncSettings = (download: NodeConfig["download"], isPatient = false): SyncSettings => ({
  isPatient,
  blocksPerRequest: download.blocksPerRequest,
  blocksPerPeer: download.blocksPerPeer,
  fromOnePeer: download.fromOnePeer,
  downloadTimeout: download.timeoutSeconds * 1_000,
  headersTimeout: download.headersTimeoutSeconds * 1_000,
  headersFailures: download.headersFailures
})
