import { option } from "../layout/compounds.ts"
import type { Fields } from "../layout/layout.ts"
import { bool, count, f64, hash, text, u32 } from "../layout/scalars.ts"

/** Events of validation, synchronization, the mempool and storage. Hashes in internal byte order, amounts in satoshis unless the name says otherwise. */
export const VALIDATION_EVENTS = {
  BlockValidationStarted: { block_hash: hash, height: count },
  BlockValidationCompleted: {
    block_hash: hash,
    height: count,
    success: bool,
    validation_time_ms: count,
    error: option(text)
  },
  /** Covers all inputs of a block; the predecessor has the same bytes for one input of a transaction. */
  ScriptVerificationStarted: { block_hash: hash, inputs: count },
  ScriptVerificationCompleted: { block_hash: hash, inputs: count, success: bool, verification_time_ms: count },
  UTXOValidationStarted: { block_hash: hash, height: count },
  UTXOValidationCompleted: { block_hash: hash, height: count, success: bool },
  DifficultyAdjusted: { old_difficulty: u32, new_difficulty: u32, height: count },
  SoftForkActivated: { fork_name: text, height: count },
  SoftForkLockedIn: { fork_name: text, height: count },
  ConsensusRuleViolation: { rule_name: text, block_hash: option(hash), tx_hash: option(hash), error: text },
  HeadersSyncStarted: { start_height: count },
  HeadersSyncProgress: { current_height: count, target_height: count, progress_percent: f64 },
  HeadersSyncCompleted: { final_height: count, duration_seconds: count },
  BlockSyncStarted: { start_height: count, target_height: count },
  BlockSyncProgress: { current_height: count, target_height: count, progress_percent: f64, blocks_per_second: f64 },
  BlockSyncCompleted: { final_height: count, duration_seconds: count },
  SyncStateChanged: { old_state: text, new_state: text },
  MempoolTransactionAdded: { tx_hash: hash, fee_rate: f64, mempool_size: count },
  MempoolTransactionRemoved: { tx_hash: hash, reason: text, mempool_size: count },
  MempoolThresholdExceeded: { current_size: count, threshold: count },
  FeeRateChanged: { old_fee_rate: f64, new_fee_rate: f64, mempool_size: count },
  MempoolCleared: { cleared_count: count },
  StorageRead: { operation: text, duration_ms: count },
  StorageWrite: { operation: text, duration_ms: count, bytes_written: count },
  StorageQuery: { query_type: text, duration_ms: count },
  DatabaseBackupStarted: { backup_path: text },
  DatabaseBackupCompleted: { backup_path: text, success: bool, size_bytes: count, duration_seconds: count }
} as const satisfies Readonly<Record<string, Fields>>
