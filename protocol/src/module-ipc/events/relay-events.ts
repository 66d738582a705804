import { list, option } from "../layout/compounds.ts"
import { mempoolCursor, notification } from "../chain-values.ts"
import type { Fields } from "../layout/layout.ts"
import { bool, bytes, count, hash, text, u32, u8 } from "../layout/scalars.ts"

/** Events of relay beyond the basic messages, and those that were added to the enumeration later. Hashes in internal byte order, amounts in satoshis unless the name says otherwise. */
export const RELAY_EVENTS = {
  DandelionStemStarted: { tx_hash: hash, current_peer: text, next_peer: text },
  DandelionStemAdvanced: { tx_hash: hash, hop_count: u8, next_peer: text },
  DandelionFluffed: { tx_hash: hash, stem_hops: u8 },
  DandelionStemPathExpired: { peer_addr: text },
  CompactBlockReceived: { block_hash: hash, height: count, short_ids_count: count },
  BlockReconstructionStarted: { block_hash: hash, height: count },
  BlockReconstructionCompleted: { block_hash: hash, height: count, success: bool, missing_txs: count },
  FibreBlockEncoded: { block_hash: hash, height: count, chunks: count, encoding_time_ms: count },
  FibreBlockSent: { block_hash: hash, height: count, peer_addr: text },
  CompanionUdpPeerRegistered: { p2p_peer_addr: text, udp_addr: text },
  CompanionUdpPeerUnregistered: { p2p_peer_addr: text },
  PackageReceived: { package_id: bytes, transaction_count: count, peer_addr: text },
  PackageRejected: { package_id: bytes, reason: text, peer_addr: text },
  UtxoCommitmentReceived: { block_hash: hash, height: count, commitment_hash: hash, peer_addr: text },
  UtxoCommitmentVerified: { block_hash: hash, height: count, commitment_hash: hash, valid: bool },
  BanListShared: { peer_addr: text, ban_count: count },
  BanListReceived: { peer_addr: text, ban_count: count },
  SelectiveSyncPolicyApplied: { policy_source: text, registry_count: count },
  ActionExecuted: { action_id: text, action_type: text, target: text, success: bool },
  ModulePurchaseCompleted: { module_id: text, payment_id: text, amount_sats: count },
  StratumClientConnected: { endpoint: text, protocol_version: u32 },
  StratumClientDisconnected: { endpoint: text, reason: text },
  IBDBlockFiltered: { block_hash: hash, height: count, reason: text },
  ModuleDiscovered: { module_name: text, version: text, source: text },
  ModuleInstalled: { module_name: text, version: text },
  ModuleUpdated: { module_name: text, old_version: text, new_version: text },
  ModuleRemoved: { module_name: text, version: text },
  StorageBackendFallback: { configured: text, used: text, reason: text },
  /** This module missed `dropped` events at this point, `total` since it connected. Every subscriber receives it. */
  EventsDropped: { dropped: count, total: count },
  /** A timer or a task of this module is due. The module receives it without a subscription. */
  TimerFired: { timer_id: count },
  /** A client connected to a listener of this module. The module receives this and the next four without a subscription. */
  NetworkAccepted: { listener_id: count, connection_id: count, address: text },
  NetworkReceived: { connection_id: count, data: bytes },
  /** The other side sends no more; the connection stays open for what the module sends, until `CloseNetwork`. */
  NetworkEnded: { connection_id: count },
  /** A full connection accepts data again. */
  NetworkDrained: { connection_id: count },
  /** A connection has ended; `error` is the reason if it did not end orderly. */
  NetworkClosed: { connection_id: count, error: option(text) },
  /** A step of the chain or the mempool, for a module that follows them. */
  Notified: { notification },
  /**
   * Contents of the mempool, for a module that follows it. Replaces everything the module knew, and changes up to the
   * cursor.
   */
  MempoolSnapshot: { cursor: mempoolCursor, tx_hashes: list(hash) },
  /**
   * A transaction was added to the mempool, or removed for the reason `removed`. The cursor is the position after this
   * change.
   */
  MempoolStep: { cursor: mempoolCursor, tx_hash: hash, sequence: count, removed: option(text) }
} as const satisfies Readonly<Record<string, Fields>>
