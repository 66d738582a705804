import { keyValue, mempoolCursor, outPoint, serialized } from "./chain-values.ts"
import { eventPayload, eventType } from "./events/event-payloads.ts"
import { list, names, option, variant } from "./layout/compounds.ts"
import type { Fields, ValueOf } from "./layout/layout.ts"
import { bool, bytes, count, hash, text, u32 } from "./layout/scalars.ts"
import { misfit } from "./layout/misfit.ts"
import { cliSpec, metric, moduleHealth } from "./module-values.ts"

/** Hashes in internal byte order; durations in seconds; `method` is the name of an RPC or API method. */
const REQUESTS = {
  /** The first request. `module_id` is the one-time id that the node passed to this process in `MODULE_ID`. */
  Handshake: { module_id: text, module_name: text, version: text },
  GetBlock: { hash },
  GetBlockHeader: { hash },
  GetTransaction: { hash },
  HasTransaction: { hash },
  GetChainTip: {},
  GetBlockHeight: {},
  GetUtxo: { outpoint: outPoint },
  SubscribeEvents: { event_types: list(eventType) },
  GetMempoolTransactions: {},
  GetMempoolTransaction: { tx_hash: hash },
  GetMempoolSize: {},
  GetNetworkStats: {},
  GetNetworkPeers: {},
  GetChainInfo: {},
  GetBlockByHeight: { height: count },
  GetLightningNodeUrl: {},
  GetLightningInfo: {},
  GetPaymentState: { payment_id: text },
  CheckTransactionInMempool: { tx_hash: hash },
  GetFeeEstimate: { target_blocks: u32 },
  ReadFile: { path: text },
  WriteFile: { path: text, data: bytes },
  DeleteFile: { path: text },
  ListDirectory: { path: text },
  CreateDirectory: { path: text },
  GetFileMetadata: { path: text },
  RegisterRpcEndpoint: { method: text, description: text },
  UnregisterRpcEndpoint: { method: text },
  RegisterCoreRpcOverride: { method: text, description: text },
  UnregisterCoreRpcOverride: { method: text },
  RegisterTimer: { interval_seconds: count },
  CancelTimer: { timer_id: count },
  ScheduleTask: { delay_seconds: count },
  ReportMetric: { metric },
  GetModuleMetrics: { module_id: text },
  GetAllMetrics: {},
  DiscoverModules: {},
  GetModuleInfo: { module_id: text },
  IsModuleAvailable: { module_id: text },
  PublishEvent: { event_type: eventType, payload: eventPayload },
  CallModule: { target_module_id: option(text), method: text, params: bytes },
  RegisterModuleApi: { methods: list(text), api_version: u32 },
  UnregisterModuleApi: {},
  GetModuleHealth: { module_id: text },
  GetAllModuleHealth: {},
  ReportModuleHealth: { health: moduleHealth },
  SendMeshPacketToPeer: { peer_addr: text, packet_data: bytes },
  SendStratumV2MessageToPeer: { peer_addr: text, message_data: bytes },
  GetBlockTemplate: { rules: list(text), coinbase_script: option(bytes), coinbase_address: option(text) },
  SubmitBlock: { block: serialized },
  QueueReceivedBlock: { block_bytes: serialized },
  MergeBlockServeDenylist: { block_hashes: list(hash) },
  GetBlockServeDenylistSnapshot: {},
  ClearBlockServeDenylist: {},
  ReplaceBlockServeDenylist: { block_hashes: list(hash) },
  MergeTxServeDenylist: { tx_hashes: list(hash) },
  GetTxServeDenylistSnapshot: {},
  ClearTxServeDenylist: {},
  ReplaceTxServeDenylist: { tx_hashes: list(hash) },
  GetSyncStatus: {},
  BanPeer: { peer_addr: text, ban_duration_seconds: option(count) },
  SetBlockServeMaintenanceMode: { enabled: bool },
  RegisterCliSpec: { spec: cliSpec },
  /** Values of the module's own database. */
  ReadStorage: { keys: list(bytes) },
  /** Entries of it in byte order of keys, from `from` up to but excluding `to`, at most `limit`. */
  ListStorage: { from: bytes, to: option(bytes), limit: u32, reverse: bool },
  /** One batch, written atomically; it is on disk when the request is answered. */
  WriteStorage: { puts: list(keyValue), removals: list(bytes) },
  ClearStorage: {},
  SubmitTransaction: { transaction: serialized },
  /** Like `GetBlockTemplate`, but waits for a template other than `longpoll_id`, for at most `timeout_seconds`. */
  WaitForBlockTemplate: {
    rules: list(text),
    coinbase_script: option(bytes),
    coinbase_address: option(text),
    longpoll_id: text,
    timeout_seconds: u32
  },
  /**
   * Starts to send `NewBlock` and `BlockDisconnected` for every step of the chain from `from_block` on, without loss.
   * Without a block, starts at the tip.
   */
  FollowChain: { from_block: option(hash) },
  /** Listens on `host:port`. Port 0 lets the system choose one. */
  ListenNetwork: { address: text },
  CloseNetworkListener: { listener_id: count },
  /** Connects over TCP to `host:port`. */
  ConnectNetwork: { address: text },
  SendNetwork: { connection_id: count, data: bytes },
  /** Reports processed bytes of a connection; the node may send as many more. */
  GrantNetwork: { connection_id: count, bytes: count },
  /** Sends the rest and then no more, and ends once the other side does. With `now` it ends at once. */
  CloseNetwork: { connection_id: count, now: bool },
  /** Starts to send `Notified` for every step of the chain and the mempool, in order. */
  FollowNotifications: {},
  /** Validates a block as the next one of the chain, proof of work apart. Changes nothing. */
  ProposeBlock: { block: serialized },
  /**
   * Starts to send `MempoolStep` for every change of the mempool after the cursor, without loss. Without a cursor, or
   * if the node no longer has those changes, `MempoolSnapshot` is sent first.
   */
  FollowMempool: { from_cursor: option(mempoolCursor) }
} as const satisfies Readonly<Record<string, Fields>>

/** A type of request. */
export type RequestType = keyof typeof REQUESTS

/** Every type of request, in the order of their tags. */
export const REQUEST_TYPES = Object.keys(REQUESTS) as ReadonlyArray<RequestType>

/** The type before a request's payload, which repeats the payload's tag. */
export const requestType = names("request type", REQUEST_TYPES)

/** Payload of a request of a module; `_tag` is the type. */
export const requestPayload = variant("request payload", REQUESTS)

export type RequestPayload = ValueOf<typeof requestPayload>

/** Returns the reason why a module cannot send a request, or `undefined` if it can. */
export const requestMisfit = (payload: { readonly _tag: string }): string | undefined =>
  misfit("request", requestPayload.shape, payload)
