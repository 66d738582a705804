import { keyValue, mempoolCursor, outPoint, serialized } from "./chain-values.ts"
import { eventPayload, eventType } from "./events/event-payloads.ts"
import { list, names, option, variant } from "./layout/compounds.ts"
import type { Fields, ValueOf } from "./layout/layout.ts"
import { bool, bytes, count, hash, text, u32 } from "./layout/scalars.ts"
import { misfit } from "./layout/misfit.ts"
import { cliSpec, metric, moduleHealth } from "./module-values.ts"

/** Hashes in internal byte order; durations in seconds; `method` is the name of an RPC or API method. */
const REQUESTS = {
  /** The first request. `module_id` is the one-time id that the node gave this spawn in `MODULE_ID`. */
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
  /** Entries of it in byte order of keys: from `from` on, up to `to` without it, at most `limit`. */
  ListStorage: { from: bytes, to: option(bytes), limit: u32, reverse: bool },
  /** One batch: all of it is on disk when it is answered, or nothing. */
  WriteStorage: { puts: list(keyValue), removals: list(bytes) },
  ClearStorage: {},
  SubmitTransaction: { transaction: serialized },
  /** As `GetBlockTemplate`, once there is another one than `longpoll_id`, or after `timeout_seconds`. */
  WaitForBlockTemplate: {
    rules: list(text),
    coinbase_script: option(bytes),
    coinbase_address: option(text),
    longpoll_id: text,
    timeout_seconds: u32
  },
  /**
   * From now on `NewBlock` and `BlockDisconnected` for every step of the chain from `from_block` on, none lost. Without a block, from
   * the tip on.
   */
  FollowChain: { from_block: option(hash) },
  /** Listens at `host:port`; port 0: one that the system chooses. */
  ListenNetwork: { address: text },
  CloseNetworkListener: { listener_id: count },
  /** Connects over TCP to `host:port`. */
  ConnectNetwork: { address: text },
  SendNetwork: { connection_id: count, data: bytes },
  /** The module has processed so many bytes of a connection: the node may send as many more. */
  GrantNetwork: { connection_id: count, bytes: count },
  /** Sends the rest and no more, and ends once the other side does; with `now` it ends at once. */
  CloseNetwork: { connection_id: count, now: bool },
  /** From now on `Notified` for every step of the chain and the mempool, in their order. */
  FollowNotifications: {},
  /** Judges a block as the next one of the chain, proof of work apart; nothing changes. */
  ProposeBlock: { block: serialized },
  /**
   * From now on `MempoolStep` for every change of the mempool behind the cursor, none lost. Without a cursor, or where the node no longer
   * has those changes, `MempoolSnapshot` comes first.
   */
  FollowMempool: { from_cursor: option(mempoolCursor) }
} as const satisfies Readonly<Record<string, Fields>>

/** A type of request. */
export type RequestType = keyof typeof REQUESTS

/** Every type of request, in the order of their tags. */
export const REQUEST_TYPES = Object.keys(REQUESTS) as ReadonlyArray<RequestType>

/** The type before a request's payload: the same tag once more. */
export const requestType = names("request type", REQUEST_TYPES)

/** What a module asks of the node; `_tag` is the type. */
export const requestPayload = variant("request payload", REQUESTS)

export type RequestPayload = ValueOf<typeof requestPayload>

/** What is wrong with a request that a module is about to send, or `undefined` if it can be sent. */
export const requestMisfit = (payload: { readonly _tag: string }): string | undefined =>
  misfit("request", requestPayload.shape, payload)
