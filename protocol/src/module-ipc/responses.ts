import {
  blockTemplate,
  chainInfo,
  denylistSnapshot,
  keyValue,
  mempoolSize,
  networkStats,
  peerInfo,
  serialized,
  submitBlockResult,
  submitTransactionResult,
  syncStatus,
  utxo
} from "./chain-values.ts"
import { list, map, option, struct, variant } from "./layout/compounds.ts"
import type { Fields, ValueOf } from "./layout/layout.ts"
import { bool, bytes, count, hash, text } from "./layout/scalars.ts"
import { fileMetadata, lightningInfo, metric, moduleHealth, moduleInfo, paymentState } from "./module-values.ts"

/** A variant with one field has it under `value`. Hashes are in internal byte order. */
const RESPONSES = {
  HandshakeAck: { node_version: text },
  Block: { value: option(serialized) },
  BlockHeader: { value: option(serialized) },
  Transaction: { value: option(serialized) },
  Bool: { value: bool },
  Hash: { value: hash },
  U64: { value: count },
  Utxo: { value: option(utxo) },
  SubscribeAck: {},
  MempoolTransactions: { value: list(hash) },
  MempoolTransaction: { value: option(serialized) },
  MempoolSize: { value: mempoolSize },
  NetworkStats: { value: networkStats },
  NetworkPeers: { value: list(peerInfo) },
  ChainInfo: { value: chainInfo },
  BlockByHeight: { value: option(serialized) },
  LightningNodeUrl: { value: option(text) },
  LightningInfo: { value: option(lightningInfo) },
  PaymentState: { value: option(paymentState) },
  CheckTransactionInMempool: { value: bool },
  /** Satoshis per virtual byte, rounded up. */
  FeeEstimate: { value: count },
  FileData: { value: bytes },
  DirectoryListing: { value: list(text) },
  FileMetadata: { value: fileMetadata },
  RpcEndpointRegistered: {},
  RpcEndpointUnregistered: {},
  CoreRpcOverrideRegistered: {},
  CoreRpcOverrideUnregistered: {},
  TimerId: { value: count },
  TaskId: { value: count },
  TimerCancelled: {},
  TaskScheduled: {},
  MetricReported: {},
  ModuleMetrics: { value: list(metric) },
  AllMetrics: { value: map(list(metric)) },
  ModuleList: { value: list(moduleInfo) },
  ModuleInfo: { value: option(moduleInfo) },
  ModuleAvailable: { value: bool },
  EventPublished: {},
  ModuleApiResponse: { value: bytes },
  ModuleApiRegistered: {},
  ModuleApiUnregistered: {},
  ModuleHealth: { value: option(moduleHealth) },
  AllModuleHealth: { value: list(struct({ module_id: text, health: moduleHealth })) },
  HealthReported: {},
  BlockTemplate: { value: blockTemplate },
  SubmitBlockResult: { value: submitBlockResult },
  ReceivedBlockQueued: {},
  BlockServeDenylistMerged: {},
  TxServeDenylistMerged: {},
  BlockServeDenylistSnapshot: { value: denylistSnapshot },
  TxServeDenylistSnapshot: { value: denylistSnapshot },
  NodeSyncStatus: { value: syncStatus },
  /** One value for each key, in the order of the keys. */
  StorageValues: { value: list(option(bytes)) },
  StorageEntries: { value: list(keyValue) },
  StorageWritten: {},
  SubmitTransactionResult: { value: submitTransactionResult },
  PeerBanned: {},
  BlockServeMaintenanceModeSet: {},
  CliSpecRegistered: {},
  /** `address` of the listener, with the port. */
  NetworkListening: { listener_id: count, address: text },
  /** `address` of the other side. */
  NetworkConnected: { connection_id: count, address: text },
  /** If `is_full`, `NetworkDrained` follows once more may be sent. */
  NetworkSent: { is_full: bool },
  NetworkGranted: {},
  NetworkClosing: {}
} as const satisfies Readonly<Record<string, Fields>>

/** Payload of a response of the node; `_tag` is the type. */
export const responsePayload = variant("response payload", RESPONSES)

export type ResponsePayload = ValueOf<typeof responsePayload>

/** A type of response. */
export type ResponseType = ResponsePayload["_tag"]

/** Every type of response, in the order of their tags. */
export const RESPONSE_TYPES = Object.keys(RESPONSES) as ReadonlyArray<ResponseType>
