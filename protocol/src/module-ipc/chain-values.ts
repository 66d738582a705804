import { list, option, struct, variant } from "./layout/compounds.ts"
import type { ValueOf } from "./layout/layout.ts"
import { bool, bytes, count, f64, hash, text, u32, u64 } from "./layout/scalars.ts"

/** A block, header or transaction as Bitcoin serializes it, witnesses included. */
export const serialized = bytes

export const outPoint = struct({ hash, index: u32 })

/** A step of the chain or the mempool. `sequence` is the mempool's. */
export const notification = variant("notification", {
  /** A new tip after the initial download; in a reorganization only the last block. */
  UpdatedTip: { block_hash: hash },
  BlockConnected: { block_hash: hash },
  BlockDisconnected: { block_hash: hash },
  TransactionAdded: { tx_hash: hash, sequence: count, transaction: serialized },
  /** The transaction was removed from the mempool, but not by a block. */
  TransactionRemoved: { tx_hash: hash, sequence: count }
})

/** A module's position in the mempool's changes: after `position` changes of the node's `run`. */
export const mempoolCursor = struct({ run: u64, position: count })

/** An unspent output; `value` in satoshis. */
export const utxo = struct({ value: count, script_pubkey: bytes, height: count, is_coinbase: bool })

/** `size_bytes` in virtual bytes, `total_fee_sats` in satoshis. */
export const mempoolSize = struct({ transaction_count: count, size_bytes: count, total_fee_sats: count })

/** `hash_rate` in hashes a second, estimated from the last 120 blocks. */
export const networkStats = struct({ peer_count: count, hash_rate: f64, bytes_sent: count, bytes_received: count })

/** `connected_since` in seconds of Unix time. */
export const peerInfo = struct({
  addr: text,
  transport_type: text,
  services: u64,
  version: u32,
  connected_since: count
})

/** `bits` is the compact target of the tip; `chain_work` has 64 hex digits, since 64 bits cannot hold mainnet's. */
export const chainInfo = struct({ tip_hash: hash, height: count, bits: u32, chain_work: text, is_synced: bool })

/** `phase` in the words of `getsyncstatus`, `progress` from 0 to 1. */
export const syncStatus = struct({ phase: text, progress: f64, is_synced: bool, error_message: option(text) })

/** At most 4,096 hashes of a denylist; `total_count` counts all. */
export const denylistSnapshot = struct({ total_count: count, truncated: bool, hashes: list(hash) })

/** A transaction of a block template; `depends` are indexes into the same list, `fee` is in satoshis. */
const templateTransaction = struct({
  data: serialized,
  txid: hash,
  wtxid: hash,
  fee: count,
  sigops: count,
  weight: count,
  depends: list(u32)
})

/** Data that a miner needs for a block on the tip. Amounts are in satoshis, times in seconds of Unix time. */
export const blockTemplate = struct({
  version: u32,
  previous_hash: hash,
  height: count,
  bits: u32,
  current_time: count,
  min_time: count,
  coinbase_value: count,
  coinbase_script: option(bytes),
  default_witness_commitment: option(bytes),
  sigop_limit: count,
  weight_limit: count,
  transactions: list(templateTransaction),
  longpoll_id: text
})

/** Result of a submitted block; the reason is Bitcoin Core's. */
export const submitBlockResult = variant("submission result", {
  Accepted: {},
  Rejected: { reason: text },
  Duplicate: {}
})

/** Result of a submitted transaction; the reason is Bitcoin Core's. */
export const submitTransactionResult = variant("transaction result", {
  Accepted: { txid: hash },
  Known: { txid: hash },
  Rejected: { reason: text }
})

/** An entry of a module's own database. */
export const keyValue = struct({ key: bytes, value: bytes })

/** `hash` in internal byte order. */
export type OutPoint = ValueOf<typeof outPoint>
export type Utxo = ValueOf<typeof utxo>
export type PeerInfo = ValueOf<typeof peerInfo>
export type ChainInfo = ValueOf<typeof chainInfo>
export type BlockTemplate = ValueOf<typeof blockTemplate>
export type SubmitBlockResult = ValueOf<typeof submitBlockResult>
export type SubmitTransactionResult = ValueOf<typeof submitTransactionResult>
export type SyncStatus = ValueOf<typeof syncStatus>
export type DenylistSnapshot = ValueOf<typeof denylistSnapshot>
